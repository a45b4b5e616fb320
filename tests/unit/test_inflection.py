"""Verb forms, plurals and articles, against forms that a speaker of English knows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kgservice.text.inflection import (
    _dictionary,
    base,
    indefinite,
    is_only_participle,
    is_participle,
    is_past,
    is_plural,
    participle,
    past,
    present,
)

VERBS = """
submit submits submitted submitted|admit admits admitted admitted|permit permits permitted permitted
commit commits committed committed|omit omits omitted omitted|transmit transmits transmitted transmitted
control controls controlled controlled|compel compels compelled compelled|expel expels expelled expelled
prefer prefers preferred preferred|refer refers referred referred|transfer transfers transferred transferred
occur occurs occurred occurred|equip equips equipped equipped|plan plans planned planned|star stars starred starred
drop drops dropped dropped|ship ships shipped shipped|stop stops stopped stopped|ban bans banned banned
rob robs robbed robbed|run runs ran run|offer offers offered offered|open opens opened opened|visit visits visited visited
develop develops developed developed|limit limits limited limited|order orders ordered ordered|edit edits edited edited
publish publishes published published|launch launches launched launched|pass passes passed passed
fix fixes fixed fixed|buzz buzzes buzzed buzzed|go goes went gone|do does did done|echo echoes echoed echoed
supply supplies supplied supplied|carry carries carried carried|marry marries married married|try tries tried tried
play plays played played|employ employs employed employed|own owns owned owned|acquire acquires acquired acquired
use uses used used|name names named named|create creates created created|agree agrees agreed agreed
free frees freed freed|die dies died died|tie ties tied tied|withdraw withdraws withdrew withdrawn
draw draws drew drawn|overthrow overthrows overthrew overthrown|throw throws threw thrown|know knows knew known
grow grows grew grown|blow blows blew blown|fly flies flew flown|overtake overtakes overtook overtaken
take takes took taken|undertake undertakes undertook undertaken|shake shakes shook shaken|forbid forbids forbade forbidden
forget forgets forgot forgotten|give gives gave given|forgive forgives forgave forgiven|write writes wrote written
ride rides rode ridden|drive drives drove driven|rise rises rose risen|choose chooses chose chosen
speak speaks spoke spoken|break breaks broke broken|steal steals stole stolen|wear wears wore worn|tear tears tore torn
swear swears swore sworn|begin begins began begun|sing sings sang sung|swim swims swam swum|drink drinks drank drunk
ring rings rang rung|sink sinks sank sunk|bring brings brought brought
buy buys bought bought|catch catches caught caught|teach teaches taught taught|think thinks thought thought
seek seeks sought sought|fight fights fought fought|find finds found found|bind binds bound bound
hold holds held held|uphold upholds upheld upheld|withhold withholds withheld withheld|build builds built built
lend lends lent lent|send sends sent sent|spend spends spent spent|keep keeps kept kept|sweep sweeps swept swept
leave leaves left left|lose loses lost lost|make makes made made|meet meets met met|lead leads led led
feed feeds fed fed|breed breeds bred bred|need needs needed needed|seed seeds seeded seeded|win wins won won
hang hangs hung hung|strike strikes struck struck|stick sticks stuck stuck|swing swings swung swung|say says said said
pay pays paid paid|lay lays laid laid|sell sells sold sold|tell tells told told|hear hears heard heard
stand stands stood stood|understand understands understood understood|withstand withstands withstood withstood
see sees saw seen|oversee oversees oversaw overseen|eat eats ate eaten|fall falls fell fallen|come comes came come
become becomes became become|overcome overcomes overcame overcome|put puts put put|cut cuts cut cut|set sets set set
hit hits hit hit|cost costs cost cost|spread spreads spread spread|have has had had|host hosts hosted hosted
outsell outsells outsold outsold|co-found co-founds co-founded co-founded|co-write co-writes co-wrote co-written
rebrand rebrands rebranded rebranded|crash-land crash-lands crash-landed crash-landed|headquarter headquarters headquartered headquartered|merge merges merged merged
interview interviews interviewed interviewed|focus focuses focused focused|succeed succeeds succeeded succeeded
"""
FORMS = [tuple(line.split()) for line in VERBS.replace("\n", "|").split("|") if line]


def test_there_are_more_than_a_hundred_verbs() -> None:
    assert len({forms[0] for forms in FORMS}) == len(FORMS) > 130


@pytest.mark.parametrize(("infinitive", "third", "then", "done"), FORMS)
def test_forms_of_verbs(infinitive: str, third: str, then: str, done: str) -> None:
    assert participle(infinitive) == done
    assert present(done) == third
    assert {base(third), base(then), base(done)} == {infinitive}
    assert past(done) == then
    assert is_participle(done)
    assert is_past(then) == (then not in ("had", "did"))  # auxiliaries of their own
    assert is_past(infinitive) == (infinitive in (then, "lay"))  # lay: of "lie"
    assert is_only_participle(done) == (done not in (then, infinitive))


@pytest.mark.parametrize(
    ("third", "infinitive"), [("bringing", "bring"), ("singing", "sing"), ("feeding", "feed"), ("living", "live")]
)
def test_forms_in_ing(third: str, infinitive: str) -> None:
    assert base(third) == infinitive


def test_a_text_keeps_its_spelling() -> None:
    assert (participle("label", "labelled"), participle("label", "labeled")) == ("labelled", "labeled")
    assert (past("travelled"), past("traveled")) == ("travelled", "traveled")
    assert (participle("write", "wrote"), participle("found", "founded")) == ("written", "founded")


@pytest.mark.parametrize("word", "need seed feed speed hundred sacred crew ground output was had did".split())
def test_no_past(word: str) -> None:
    assert not is_past(word)


def test_a_participle_that_is_an_infinitive_too() -> None:
    assert is_past("broadcast")
    assert past("broadcast") == "broadcast"
    assert not is_past("become")


def test_an_adjective_that_looks_like_a_participle() -> None:
    assert is_participle("talented")
    assert not is_past("talented")


@pytest.mark.parametrize(
    "noun", "sales children people headquarters earnings women countries criteria boxes goods".split()
)
def test_plurals(noun: str) -> None:
    assert is_plural(noun)


@pytest.mark.parametrize("noun", "gas news series analysis physics lens business bus population child capital".split())
def test_singulars(noun: str) -> None:
    assert not is_plural(noun)


AN = (
    """
FBI agent|MBA|MRI|SEC filing|NBA team|NFL player|NHL club|HIV test|HTML page|LLC|LLM|IPO|ETF|NGO|MP|MTV award|HBO series
SUV|FM station|AM station|X-ray|S&P index|M&A deal|R&B singer|L-shaped room|F-16|M16 rifle|H-bomb|A380|FDA rule|EU member
NCAA title|NAACP member|MSCI index|FDIC rule|HSBC branch|NYSE-listed firm|LGBT group|RNA virus|SMS|MSc|FAQ|HR manager
M.D.|L.A. club|R.E.M. song|e-mail|8-year plan|8|80-acre park|800-page book|8,000-seat arena|8.5% stake|11th place
11-year-old|18th-century house|18-month term|11,000-seat arena|1887 novel|1800s house|$8 million deal|€80 fee|18%
hour|hour-long film|honest man|honour|honor|honorary degree|honorarium|heir|heiress|heirloom|apple|actor|art museum
Asian country|African state|eagle|electric car|English town|Estonian|Indian river|Iraqi|Italian city|island|icon
oil company|Olympic medal|Ottoman sultan|opera|orchestra|Oscar|onerous task|only child|onion|oak|owner|ounce|outlet
umbrella|uncle|underwriter|upgrade|urban area|usher|utter defeat|ultimate parent|Ulster county|upper house|ugly house
unincorporated town|uninhabited island|unimportant post|unidentified man|uninsured loan|unable man|unofficial title
unusual name|uneven road|unemployed man|upright piano|Uzbek city|iPhone|eBay shop|Élysée aide|Öresund bridge|Åland island
"Old" house|aircraft|eighteen-year term|eleventh hour|eight-time winner|interview|album|episode|army officer|employee
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
A = (
    """
one-year plan|one-time winner|one|once-famous actor|European company|Euro area country|eulogy|euphoric crowd|ewe
Ukrainian city|ukulele|Ugandan town|Utah town|utility|utopia|Utrecht street|useful tool|user|usual name|usurper
uranium mine|Uruguayan club|urine test|ubiquitous sign|UFO|UN agency|US company|U.S. state|UK firm|URL|USB port|U-turn
UNESCO site|UNICEF fund|UEFA cup|union|unique name|unit|united front|universal bank|university|uniform|unicorn
unilateral act|unionized firm|unanimous vote|unidirectional link|Uyghur poet|NATO member|NASA mission|FIFA ruling
NASCAR race|NAFTA panel|SARS case|SWAT team|RAM chip|ROM|LAN|SIM card|FEMA office|LASIK operation|STEM school|SPAC
CEO|CIA agent|BBC programme|DVD|GDP figure|PhD|Ph.D.|TV show|PC|VIP|WHO report|YMCA|B movie|C-section|T-shirt|D-day
BMW|CD|KGB officer|P&L account|110-year-old|100-seat hall|1-mile race|1.8 million loss|1,100-seat hall|1990s house
7-year plan|70-acre park|10-K filing|12th man|17th-century house|$1 billion deal|2008 film|house|hotel|historic town
Honolulu firm|horse|hospital|holding company|yacht|year|Yemeni port|York street|king|company|subsidiary|film|town
"New" house|Mexican state|French city|SCUBA diver|McDonald's|NOAA ship|hundred-year war|half-brother|human
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def test_there_are_200_articles() -> None:
    assert len({*AN, *A}) == len(AN) + len(A) >= 200


@pytest.mark.parametrize("phrase", AN)
def test_an(phrase: str) -> None:
    assert indefinite(phrase) == "an"


@pytest.mark.parametrize("phrase", A)
def test_a(phrase: str) -> None:
    assert indefinite(phrase) == "a"


def test_every_word_has_the_forms_that_lemminflect_reads() -> None:
    lemmatizer, inflections = _dictionary()
    theirs = [
        vars(sys.modules[type(one).__module__]) for one in (lemmatizer, inflections)
    ]  # an import would load spaCy
    lemmas = theirs[0]["LemmaLUCodec"].load(lemmatizer.lemma_lu_fn)
    forms = theirs[1]["InflectionLUCodec"].load(inflections.infl_lu_fn)
    assert len(lemmas) > 50_000 and len(forms) > 30_000
    assert {word: lemmatizer.lemma_dict.get(word, {}) for word in lemmas} == lemmas
    assert {word: inflections.infl_dict.get(word, {}) for word in forms} == forms
    assert lemmatizer.lemma_dict.get("kgs", {}) == inflections.infl_dict.get("kgs", {}) == {}


def test_verb_forms_need_no_spacy() -> None:
    loaded = "[name for name in ('spacy', 'torch', 'lemminflect') if name in sys.modules]"
    code = f"import sys; from kgservice.text.inflection import base; print(base('sang'), {loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "sing []\n"
