from __future__ import annotations

import pytest

from metarag.errors import PromptError
from metarag.llm.schemas import PLAIN, REPLIES, reply_schema
from metarag.prompts import available_prompts, load_prompt

OWN = """
id: stance
version: 7
purpose: Ours.
placeholders: [article_ref, claim, title, abstract]
reply: stance
system: Judge $article_ref.
user: $claim / $title / $abstract costs $$5
"""


def own_prompt(folder, text, name="stance"):
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", available_prompts())
def test_every_prompt_that_is_shipped_can_be_used(name):
    prompt = load_prompt(name)
    assert prompt.id == name
    assert prompt.reply == PLAIN or prompt.reply in REPLIES
    assert prompt.reply == PLAIN or reply_schema(prompt.reply).name == prompt.reply
    system, user = prompt.render(**{p: f"[{p}]" for p in prompt.placeholders})
    for placeholder in prompt.placeholders:
        assert f"[{placeholder}]" in system + user
    assert "$" not in system + user
    assert "instruction" in system, "it says that the data is no instruction"


def test_the_prompts_that_stages_need_are_there():
    assert {"applicability", "reliability_checklist", "stance"} <= set(available_prompts())


def test_instructions_hold_no_outside_text():
    for name in available_prompts():
        system, _ = load_prompt(name).render(**dict.fromkeys(load_prompt(name).placeholders, "OUTSIDE"))
        assert "OUTSIDE" not in system, "and stay the same, so that servers can reuse what they read of them"


def test_a_users_own_prompt_is_used_and_shows_in_the_signature(tmp_path):
    prompt = load_prompt("stance", own_prompt(tmp_path, OWN))
    assert prompt.version == 7
    assert prompt.signature.startswith("stance@7#")
    assert prompt.digest != load_prompt("stance").digest
    values = {"article_ref": "pmid:1", "claim": "$title", "title": "T", "abstract": "A"}
    assert prompt.render(**values) == ("Judge pmid:1.", "$title / T / A costs $5")


def test_a_folder_without_that_prompt_leaves_ours(tmp_path):
    assert load_prompt("stance", tmp_path) == load_prompt("stance")


def test_a_folder_that_does_not_exist_is_an_error_not_a_silent_default(tmp_path):
    with pytest.raises(PromptError, match="does not exist"):
        load_prompt("stance", tmp_path / "typo")


@pytest.mark.parametrize("name", ["stanze", "../stance", "", "stance.yaml"])
def test_an_unknown_prompt_is_an_error_that_lists_the_known(name):
    with pytest.raises(PromptError, match=r"Available: .*applicability"):
        load_prompt(name)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("$title /", "$titel /", r"declares .* but uses .*titel"),
        ("[article_ref, claim, title, abstract]", "[article_ref, claim, title]", "declares"),
        ("version: 7", "version: 0", "version"),
        ("purpose: Ours.\n", "", "purpose: Field required"),
        ("purpose: Ours.", "purpose: Ours.\ntemperature: 1", "temperature: Extra inputs"),
        ("$$5", "$5", "write \\$\\$"),
        ("id: stance", "id: other", "must be 'stance'"),
        ("reply: stance", "reply: applicability", "reply must be 'stance'"),
        ("reply: stance", "reply: [", "while parsing"),
        (OWN, "just text", "valid dictionary"),
        (OWN, "", "valid dictionary"),
    ],
    ids=lambda value: value[:20],
)
def test_a_broken_prompt_is_an_error_that_names_the_file_and_the_fault(tmp_path, old, new, says):
    with pytest.raises(PromptError, match=says) as raised:
        load_prompt("stance", own_prompt(tmp_path, OWN.replace(old, new)))
    assert "stance.yaml" in str(raised.value)


def test_a_prompt_that_leaves_a_placeholder_out_is_refused(tmp_path):
    own = OWN.replace("claim, ", "").replace("$claim / ", "")
    with pytest.raises(PromptError, match="use exactly the placeholders article_ref, claim"):
        load_prompt("stance", own_prompt(tmp_path, own))


def test_a_file_in_another_encoding_is_refused_by_name(tmp_path):
    (tmp_path / "stance.yaml").write_bytes(OWN.replace("Ours", "Müller").encode("latin-1"))
    with pytest.raises(PromptError, match=r"stance\.yaml"):
        load_prompt("stance", tmp_path)


def test_a_yaml_file_runs_no_code(tmp_path):
    with pytest.raises(PromptError, match="constructor"):
        load_prompt("stance", own_prompt(tmp_path, "id: !!python/object/apply:os.getcwd []"))


def test_values_are_all_given_and_all_known():
    prompt = load_prompt("stance")
    with pytest.raises(PromptError, match="missing abstract, claim"):
        prompt.render(article_ref="a", title="t")
    with pytest.raises(PromptError, match="no placeholder titel"):
        prompt.render(article_ref="a", title="t", claim="c", abstract="a", titel="x")


def test_the_digest_changes_with_every_word_the_model_sees():
    prompt = load_prompt("stance")
    assert prompt.model_copy(update={"user": prompt.user + "."}).digest != prompt.digest
    assert prompt.model_copy(update={"purpose": "other"}).digest == prompt.digest
