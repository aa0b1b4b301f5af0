"""What of a record's XML becomes which field of an article."""

from __future__ import annotations

import pytest
from pubmed_builders import abstract, article_set, read_all, read_one, record

from metarag.records import Article, RecordKind


def title(xml: str) -> str:
    return f"<ArticleTitle>{xml}</ArticleTitle>"


class TestTitles:
    def test_text_after_an_inline_tag_is_kept(self):
        assert (
            read_one(record(title=title("Of <i>Ficta <b>rara</b></i> and kin."))).title
            == "Of Ficta rara and kin."
        )

    def test_comments_and_instructions_are_no_text(self):
        assert read_one(record(title=title("Be<!-- not this -->fo<?nor this?>re."))).title == "Before."

    def test_cdata_is_text(self):
        assert read_one(record(title=title("<![CDATA[p < 0.05 & <b>]]>"))).title == "p < 0.05 & <b>"

    def test_white_space_is_collapsed(self):
        assert read_one(record(title=title("  Two\n\t  lines\u00a0here "))).title == "Two lines here"

    def test_a_translated_title_keeps_its_brackets_and_says_so(self):
        xml = title("[On nothing [again]].") + "<Language>ger</Language>"
        article = read_one(
            record(title=xml, article="<VernacularTitle>Über nichts.</VernacularTitle>"),
        )

        assert article.title == "[On nothing [again]]."
        assert article.title_translated
        assert article.vernacular_title == "Über nichts."

    @pytest.mark.parametrize(
        ("xml", "language"),
        [("[18F]FDG in [11C] cells.", "fre"), ("[A bracketed English title].", "eng"), ("[Open.", "fre")],
    )
    def test_brackets_alone_make_no_translation(self, xml, language):
        assert not read_one(record(title=title(xml) + f"<Language>{language}</Language>")).title_translated

    @pytest.mark.parametrize(
        "xml", [title("[Not Available]."), title("[Not available]"), title(""), "<ArticleTitle/>", ""]
    )
    def test_without_a_translation_the_vernacular_title_is_the_title(self, xml):
        article = read_one(record(title=xml, article="<VernacularTitle>De nihilo.</VernacularTitle>"))

        assert (article.title, article.vernacular_title) == ("De nihilo.", "De nihilo.")
        assert not article.title_translated

    def test_no_title_at_all_is_an_empty_one(self):
        assert read_one(record(title=title("[Not Available]."))).title == ""


class TestAbstract:
    def test_sections_keep_order_label_and_category(self):
        xml = (
            '<Abstract><AbstractText Label="AIMS AND METHODS" NlmCategory="METHODS">We  did.</AbstractText>'
            "<AbstractText>No label.</AbstractText>"
            '<AbstractText Label="" NlmCategory="">Blank.</AbstractText>'
            '<AbstractText/><AbstractText Label="EMPTY"> </AbstractText>'
            "<CopyrightInformation>Nobody owns this.</CopyrightInformation></Abstract>"
        )
        article = read_one(record(article=xml))

        assert [(s.label, s.nlm_category, s.text) for s in article.abstract_sections] == [
            ("AIMS AND METHODS", "METHODS", "We did."),
            (None, None, "No label."),
            (None, None, "Blank."),
        ]
        assert article.copyright == "Nobody owns this."
        assert "owns" not in (article.abstract or "")

    def test_unlabelled_is_no_label(self):
        xml = (
            "<Abstract>"
            '<AbstractText Label="UNLABELLED" NlmCategory="UNLABELLED">Text.</AbstractText></Abstract>'
        )
        (section,) = read_one(record(article=xml)).abstract_sections

        assert (section.label, section.nlm_category) == (None, "UNASSIGNED")

    def test_another_abstract_is_never_the_abstract(self):
        xml = (
            '<OtherAbstract Type="plain-language-summary" Language="spa"><AbstractText Label="UNO">Nada.'
            "</AbstractText><AbstractText>Más nada.</AbstractText></OtherAbstract>"
            '<OtherAbstract Type="KIE"><AbstractText/></OtherAbstract>'
        )
        article = read_one(record(citation=xml))

        assert article.abstract is None
        (other,) = article.other_abstracts
        assert (other.type, other.language) == ("plain-language-summary", "spa")
        assert other.text == "UNO: Nada.\nMás nada."

    def test_an_article_without_an_abstract_has_none(self):
        assert read_one(record()).abstract is None


class TestIds:
    def test_ids_of_cited_works_stay_with_the_references(self):
        references = (
            "<ReferenceList><Title>Cited</Title><Reference><Citation>Foo. 2001.</Citation><ArticleIdList>"
            '<ArticleId IdType="pubmed">80000001</ArticleId><ArticleId IdType="doi">10.8888/cited</ArticleId>'
            '<ArticleId IdType="pmc">PMC8</ArticleId></ArticleIdList></Reference>'
            "<ReferenceList><Reference><Citation>Bar.</Citation></Reference></ReferenceList></ReferenceList>"
        )
        article = read_one(record(data=references))

        assert (article.pmid, article.doi, article.pmcid) == ("91000001", None, None)
        assert [(r.citation, r.pmid, r.doi) for r in article.references] == [
            ("Foo. 2001.", "80000001", "10.8888/cited"),
            ("Bar.", None, None),
        ]

    def test_a_pii_never_takes_the_place_of_the_doi(self):
        xml = (
            '<ELocationID EIdType="doi" ValidYN="N">10.9999/wrong</ELocationID>'
            '<ELocationID EIdType="doi" ValidYN="Y">10.9999/right</ELocationID>'
            '<ELocationID EIdType="pii" ValidYN="Y">S-1</ELocationID>'
            '<ELocationID EIdType="doi" ValidYN="Y">10.9999/second</ELocationID>'
        )
        article = read_one(record(article=xml))

        assert (article.doi, article.pii) == ("10.9999/right", "S-1")

    @pytest.mark.parametrize(
        ("id_type", "value"),
        [("pmc", "PMC77"), ("pmc", "77"), ("pmcid", "pmc-id: PMC77;manuscript-id: NIHMS1;")],
    )
    def test_a_pmcid_has_its_prefix_however_it_is_written(self, id_type, value):
        xml = f'<ArticleIdList><ArticleId IdType="{id_type}">{value}</ArticleId></ArticleIdList>'
        article = read_one(
            record().replace("<PubmedData><ArticleIdList>", f"<PubmedData>{xml}<ArticleIdList>")
        )

        assert article.pmcid == "PMC77"

    def test_version_and_leading_zeros(self):
        article = read_one(record("0091000002").replace('Version="1"', 'Version="3"'))

        assert (article.pmid, article.version) == ("91000002", 3)

    @pytest.mark.parametrize("pmid", ["", "0", "12x4", "-5", "12345678901"])
    def test_a_record_without_a_usable_pmid_is_reported(self, pmid):
        (failure,) = read_all(article_set(record(pmid)))

        assert not isinstance(failure, Article)
        assert "no PMID" in failure.reason


class TestPeople:
    def test_names_groups_and_affiliations(self):
        xml = (
            '<AuthorList><Author ValidYN="Y"><LastName>Okoro</LastName></Author>'
            "<Author><CollectiveName>FICTA <i>Group</i></CollectiveName></Author>"
            "<Author><LastName>Imre</LastName><ForeName>Ada B</ForeName><Initials>AB</Initials>"
            "<Suffix>Jr</Suffix>"
            '<Identifier Source="ORCID">http://orcid.org/000000019999999x</Identifier>'
            '<AffiliationInfo><Affiliation>Here.</Affiliation><Identifier Source="GRID">grid.1</Identifier>'
            "</AffiliationInfo><AffiliationInfo><Affiliation>There.</Affiliation></AffiliationInfo></Author>"
            "<Author><LastName>Old</LastName><Affiliation>Before 2015.</Affiliation></Author>"
            "<Author/></AuthorList>"
        )
        okoro, group, imre, old = read_one(record(article=xml)).authors

        assert (okoro.last, okoro.fore, okoro.initials) == ("Okoro", None, None)
        assert (group.collective, group.last) == ("FICTA Group", None)
        assert (imre.fore, imre.initials, imre.suffix) == ("Ada B", "AB", "Jr")
        assert imre.orcid == "0000-0001-9999-999X"
        assert imre.affiliations == ("Here.", "There.")
        assert old.affiliations == ("Before 2015.",)

    def test_a_misspelt_form_of_a_name_is_no_second_author(self):
        xml = (
            '<AuthorList><Author ValidYN="N"><LastName>Chai</LastName></Author>'
            '<Author ValidYN="Y"><LastName>Chia</LastName></Author></AuthorList>'
        )

        assert [a.last for a in read_one(record(article=xml)).authors] == ["Chia"]


class TestIndexing:
    def test_a_qualifier_keeps_its_own_flag(self):
        xml = (
            '<MeshHeadingList><MeshHeading><DescriptorName UI="D9" MajorTopicYN="N">Fever</DescriptorName>'
            '<QualifierName UI="Q1" MajorTopicYN="Y">etiology</QualifierName>'
            '<QualifierName UI="Q2" MajorTopicYN="N">genetics</QualifierName></MeshHeading>'
            "<MeshHeading/></MeshHeadingList>"
        )
        (heading,) = read_one(record(citation=xml)).mesh

        assert (heading.descriptor, heading.ui, heading.descriptor_major, heading.major) == (
            "Fever",
            "D9",
            False,
            True,
        )
        assert [(q.name, q.ui, q.major) for q in heading.qualifiers] == [
            ("etiology", "Q1", True),
            ("genetics", "Q2", False),
        ]

    def test_types_concepts_chemicals_and_all_keyword_lists(self):
        xml = (
            '<ChemicalList><Chemical><NameOfSubstance UI="D1">Fictol</NameOfSubstance></Chemical>'
            "</ChemicalList>"
            '<SupplMeshList><SupplMeshName Type="Disease" UI="C1">Rare fever</SupplMeshName></SupplMeshList>'
            '<KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="Y"> one </Keyword></KeywordList>'
            '<KeywordList Owner="NLM"><Keyword>two</Keyword><Keyword/></KeywordList>'
        )
        types = (
            '<PublicationTypeList><PublicationType UI="D016428"> Journal\n'
            " Article</PublicationType></PublicationTypeList>"
        )
        article = read_one(record(article=types, citation=xml))

        assert article.chemicals == ("Fictol",)
        assert [(c.name, c.ui, c.type) for c in article.supplementary_mesh] == [
            ("Rare fever", "C1", "Disease")
        ]
        assert article.keywords == ("one", "two")
        assert [(t.name, t.ui) for t in article.publication_types] == [("Journal Article", "D016428")]

    def test_status_and_indexing_method_are_the_records(self):
        xml = record().replace('Status="MEDLINE"', 'Status="Publisher" IndexingMethod="Automated"')

        assert (read_one(xml).status, read_one(xml).indexing_method) == ("Publisher", "Automated")
        assert read_one(record()).indexing_method is None

    def test_registrations_are_kept_and_sequence_accessions_are_not(self):
        banks = "".join(
            f"<DataBank><DataBankName>{name}</DataBankName><AccessionNumberList><AccessionNumber>{number}"
            "</AccessionNumber></AccessionNumberList></DataBank>"
            for name, number in (("GENBANK", "AB1"), ("ClinicalTrials.gov", "NCT00000000"), ("NEWREG", "N-1"))
        )
        article = read_one(record(article=f"<DataBankList>{banks}</DataBankList>"))

        assert [(r.registry, r.id) for r in article.registry_ids] == [
            ("ClinicalTrials.gov", "NCT00000000"),
            ("NEWREG", "N-1"),
        ]

    def test_correction_links_keep_their_kind_and_place(self):
        xml = (
            '<CommentsCorrectionsList><CommentsCorrections RefType="Cites">'
            "<RefSource>X</RefSource></CommentsCorrections>"
            '<CommentsCorrections RefType="RetractionIn"><RefSource>Ann. 2022;1:7</RefSource>'
            '<PMID Version="1">80000022</PMID></CommentsCorrections></CommentsCorrectionsList>'
        )
        links = read_one(record(citation=xml)).corrections

        assert [(c.type, c.source, c.pmid) for c in links] == [
            ("Cites", "X", None),
            ("RetractionIn", "Ann. 2022;1:7", "80000022"),
        ]

    def test_grants_and_interests(self):
        xml = "<GrantList><Grant><GrantID>G1</GrantID><Agency>Nobody</Agency></Grant><Grant/></GrantList>"
        article = read_one(record(article=xml, citation="<CoiStatement>None  to declare.</CoiStatement>"))

        assert [(g.id, g.agency, g.country) for g in article.grants] == [("G1", "Nobody", None)]
        assert article.conflict_of_interest == "None to declare."


class TestJournal:
    def test_journal_and_pages(self):
        pages = "<Pagination><StartPage>101</StartPage><EndPage>109</EndPage></Pagination>"
        info = (
            "<MedlineJournalInfo><MedlineTA>Ann Inv</MedlineTA><NlmUniqueID>99</NlmUniqueID>"
            "<ISSNLinking>0000-0019</ISSNLinking></MedlineJournalInfo>"
        )
        xml = record(article=pages, citation=info)
        journal = read_one(xml).journal

        assert (journal.title, journal.abbreviation, journal.volume) == (
            "Annals of Invention",
            "Ann Inv",
            "7",
        )
        assert (journal.issn, journal.nlm_id, journal.pages) == ("0000-0019", "99", "101-109")

    def test_pages_as_printed_come_first(self):
        xml = (
            "<Pagination><StartPage>101</StartPage><EndPage>109</EndPage>"
            "<MedlinePgn>101-9</MedlinePgn></Pagination>"
        )

        assert read_one(record(article=xml)).journal.pages == "101-9"

    def test_print_and_electronic_date_stay_apart(self):
        xml = (
            '<ArticleDate DateType="Electronic"><Year>2018</Year><Month>12</Month><Day>31</Day></ArticleDate>'
        )
        article = read_one(record(article=xml, citation="<DateRevised><Year>2020</Year></DateRevised>"))

        assert article.print_date is not None
        assert article.electronic_date is not None
        assert article.date_revised is not None
        assert (article.print_date.year, article.print_date.month, article.print_date.day) == (2019, 3, None)
        assert (article.electronic_date.month, article.electronic_date.day) == (12, 31)
        assert article.date_revised.year == 2020


BOOK = (
    '<PubmedBookArticle><BookDocument><PMID Version="1">91000050</PMID><ArticleIdList>'
    '<ArticleId IdType="bookaccession">NBK9</ArticleId>'
    '<ArticleId IdType="doi">10.9999/book</ArticleId></ArticleIdList>'
    "<Book><BookTitle>Compendium of Nothing</BookTitle><PubDate><Year>2008</Year></PubDate>"
    '<AuthorList Type="editors"><Author><LastName>Redaktor</LastName></Author></AuthorList></Book>{chapter}'
    '<PublicationType UI="D016454">Review</PublicationType><Abstract>'
    "<AbstractText>Nothing is known.</AbstractText>"
    "</Abstract><ReferenceList><Reference><Citation>Cited.</Citation><ArticleIdList>"
    '<ArticleId IdType="pubmed">80000011</ArticleId></ArticleIdList></Reference>'
    "</ReferenceList></BookDocument>"
    '<PubmedBookData><ArticleIdList><ArticleId IdType="pubmed">91000050</ArticleId>'
    "</ArticleIdList></PubmedBookData>"
    "</PubmedBookArticle>"
)
CHAPTER = (
    "<ArticleTitle>Chapter on fever.</ArticleTitle><Language>eng</Language>"
    '<AuthorList Type="authors"><Author><LastName>Kapitel</LastName></Author></AuthorList>'
)


class TestBooks:
    def test_a_book_keeps_its_own_pmid(self):
        article = read_one(BOOK.format(chapter=CHAPTER))

        assert article.kind is RecordKind.BOOK
        assert (article.pmid, article.doi) == ("91000050", "10.9999/book")
        assert article.abstract == "Nothing is known."
        assert [t.ui for t in article.publication_types] == ["D016454"]
        assert [r.pmid for r in article.references] == ["80000011"]

    def test_a_chapter_stands_in_its_book_and_has_its_own_authors(self):
        article = read_one(BOOK.format(chapter=CHAPTER))

        assert (article.title, article.journal.title) == ("Chapter on fever.", "Compendium of Nothing")
        assert [a.last for a in article.authors] == ["Kapitel"]
        assert article.year == 2008

    def test_a_whole_book_has_the_book_title_and_its_editors(self):
        article = read_one(BOOK.format(chapter=""))

        assert (article.title, article.journal.title) == ("Compendium of Nothing", None)
        assert [a.last for a in article.authors] == ["Redaktor"]


def test_articles_and_books_keep_their_order():
    records = read_all(article_set(record(91000001), BOOK.format(chapter=CHAPTER), record(91000002)))

    assert [r.pmid for r in records] == ["91000001", "91000050", "91000002"]


def test_elements_of_another_namespace_are_not_taken_for_pubmeds_own():
    foreign = '<x:PMID xmlns:x="urn:other">5</x:PMID>'
    article = read_one(
        record(article=abstract("Text.")).replace('<PMID Version="1">', foreign + '<PMID Version="1">')
    )

    assert article.pmid == "91000001"
