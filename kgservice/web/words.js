// What the service's own terms mean, in words of people. What is not here is shown as the service says it.

const KINDS = {
  person: ["person", "people"],
  place: ["place", "places"],
  organization: ["organisation", "organisations"],
  company: ["company", "companies"],
  country: ["country", "countries"],
  city: ["city", "cities"],
  "piece of music": ["piece of music", "music"],
  series: ["series", "series"],
  programme: ["programme", "programmes"],
};

const PATTERNS = {
  single: "One fact",
  set_of_objects: "List: one thing, several answers",
  set_of_subjects: "List: several things, one value",
  chain: "Two steps in a row",
  chain3: "Three steps in a row",
  star: "Two facts about one thing",
  star3: "Three facts about one thing",
  inverted_star: "Two things about a third",
  inverted_star3: "Three things about a fourth",
  conditional_chain: "Two steps, one choosing",
  conditional_star: "Two facts, one choosing",
  conditional_inverted_star: "Two things, one choosing",
  comparison: "Comparison of two",
  pluri_hop: "Over many documents",
  unanswerable: "Not in the documents",
  false_premise: "Something false by the way",
  conflict: "Documents disagree",
};

// why a statement, a document or a question did not go on: short, and what it means
const REASONS = {
  "low confidence": ["Not sure enough", "The sentence can be read in more than one way, so no fact is made of it."],
  "subject not named": [
    "Whom it is about is not named",
    "“It” or “the company”, with no name near that it surely means.",
  ],
  "object not named": ["What it says is not named", "The sentence has no name, date or number at its other end."],
  "no agreement": ["Grammar does not fit", "Subject and verb differ in number: the sentence was taken apart wrongly."],
  "not asserted": ["Not said to be so", "A wish, a question, a condition or a plan."],
  negated: ["Said not to be so", "The sentence denies it."],
  unsure: ["Only perhaps", "The sentence says “may”, “about”, “is thought to”."],
  "only claimed": ["Only claimed", "Somebody says so, or alleges it."],
  saying: ["Somebody's words", "It tells what somebody said, not what is so."],
  vague: ["Too vague", "“Many”, “other”, “such”: nobody could check it."],
  "repeated name": ["Two rows or columns of one name", "It cannot be told which of them a value belongs to."],
  "no header": ["A table without a header", "Nothing says what its columns are."],
  "no column name": ["A column without a name", "Nothing says what its values are."],
  "no row name": ["A row without a name", "Nothing says what its values are about."],
  "empty cell": ["An empty cell", "There is nothing to read."],
  "cut row": ["A row that is cut", "A page or passage ends within it."],
  "no subject": ["A table of nobody", "Nothing near it says whose figures these are."],
  "no period": ["Figures of no date", "Nothing near them says when they hold."],
  "no measure": ["Figures of nothing", "Nothing near them says what is measured."],
  "not a value": ["Not a value", "The cell holds neither a name nor a figure."],
  "a single row": ["A table of one row", "It states nothing by itself."],
  "a comparison": ["A table that compares", "Its cells are differences, not values."],
  "stated twice": ["Said twice", "The same passage says it again."],
  "a heading": ["A heading", "Not a sentence that says something."],
  "a list": ["A list", "“Including …” says no more than that there are some."],
  "part of a name": ["Part of a name", "What was found is a piece of a longer name."],
  "a name in part": ["Half a name", "The rest of it stands elsewhere, and more than one would fit."],
  "relation too long": ["Too long between the names", "More than four words join them."],
  "relation not plain": ["Not plain between the names", "What joins them is no simple phrase."],
  "no relation": ["Nothing joins the names", "They stand side by side."],
  "loosely joined": ["Loosely joined", "“Without”, “such as”, “due to” do not say how."],
  "about itself": ["About itself", "Both ends are the same name."],
  "two names of one thing": ["Two names of one thing", "It would say that something is itself."],
  "subject is a value": ["About a number or date", "A fact is about something that has a name."],
  "whose is not said": ["Whose is not said", "“The board” or “the president” of whom?"],
  "sentence too long": ["Sentence too long", "It is likely no sentence: a list, a table or code."],
  "sentence without spaces": ["No spaces", "The text's words stand without spaces."],
  "sentence not in its text": ["Not in the text", "The model quoted a sentence that is not there."],
  "lines in no one chunk": ["Spread over passages", "The lines that state it do not stand together."],
  "format not read": ["Format not read", "Save it as PDF, HTML, Markdown or text."],
  scanned: ["Scanned", "The PDF holds pictures of pages. Run text recognition (OCR) first."],
  "near duplicate": ["Nearly the same as another", "The text is there already, in other words for the most part."],
  "older version": ["An older version", "A newer one is stored, and stays."],
  "duplicate id": ["Name taken", "Another document of this load has the same name."],
  encoding: ["Encoding", "The bytes are neither UTF-8 nor UTF-16: convert the file."],
  "no text": ["No text", "There is nothing to read in it."],
  empty: ["Empty", "There is nothing in it."],
  "too large": ["Too large", "Split the document."],
  "too slow": ["Too slow", "Reading took too long: is it damaged?"],
  // questions
  "the text may have another answer": [
    "The text may have another answer",
    "A passage names something else that might fit.",
  ],
  "no name to look for in the text": [
    "No name to search for",
    "Without one, other answers in the text cannot be ruled out.",
  ],
  "fact used by another question": ["Asked within another question", "A question of more steps uses the fact already."],
  "fact asked about for its other end": ["Asked the other way round", "The fact is asked about for its other end."],
  "asked by a value alone": ["Names only a number or date", "A question should name something, not just “2019”."],
  "bridge of no known kind": [
    "The middle has no name",
    "It is not known what the thing in between is, so it cannot be described.",
  ],
  "bridge is a value": [
    "The middle is a number or date",
    "Two facts that share a date have nothing to do with each other.",
  ],
  "bridge not named": ["The middle is no name", "What joins the facts is a common word."],
  "bridge named in the question": ["Gives the middle away", "The question names what one has to find first."],
  "answer in the question": ["Gives the answer away", "The question holds its answer."],
  "no name in the question": ["Names nothing", "The question names nobody and nothing."],
  "no name in question and answer": ["Names nothing", "Neither question nor answer has a name."],
  "name of several things": ["A name of several things", "Nobody could tell which of them is meant."],
  "no wording": ["No wording", "There is no plain way to ask this."],
  "too deeply nested": ["Too nested", "Nobody would say it aloud."],
  "relation too vague": ["Too vague", "The verb says too little to be asked about."],
  "sign in doubt": ["Sign in doubt", "Brackets may mean a minus or that it was spent."],
  "several headings in one": ["Several headings in one", "The label joins headings of a table; nobody calls a figure so."],
  "a role is no bridge": [
    "The middle is a post",
    "Two people who hold such a post have nothing to do with each other.",
  ],
  "answer no longer unique": ["More than one answer by now", "Another document brought a second one."],
  "fact withdrawn": ["Not said any more", "The document that stated it was changed or removed."],
  "not eligible any more": ["Does not hold any more", "What it rests on has changed."],
  "source changed": ["Source changed", "The passage that states it was rewritten."],
  "not drawn any more": ["Not drawn any more", "Others took its place in the sample."],
  "its things are compared with others now": ["Compared with others now", "Newer things of the same kind came between the two."],
  "outside the plan's limits": ["Outside the limits", "It still holds, but no longer within what the plan asks for."],
  "pattern not in the plan": ["Not asked for", "The plan leaves out questions of this shape."],
};

/** Return what a type of things is called, for one thing or many; "" where it is not known. */
export function kindOf(type, count = 1) {
  if (!type) return "";
  const many = /[^aeiou]y$/.test(type) ? `${type.slice(0, -1)}ies` : /s$/.test(type) ? type : `${type}s`;
  const known = KINDS[type] ?? [type, many];
  return known[count === 1 ? 0 : 1];
}

/** Return what a pattern is called. */
export function patternOf(name) {
  return PATTERNS[name] ?? name;
}

/** Return a reason as people say it, and what it means ("" where that is all there is to say). */
export function reasonOf(reason) {
  return REASONS[reason] ?? [reason.charAt(0).toUpperCase() + reason.slice(1), ""];
}
