from adapters.test_examples import run


def test_the_http_example_gets_its_ranking_from_a_server(usual):
    lines = run("http_rerank", METARAG_URL=usual.url, NO_PROXY="127.0.0.1").strip().splitlines()
    assert len(lines) == 5
    assert "58,050 patients" in lines[0]
