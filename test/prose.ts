/** Finds the prose of the project: comments, documents, test names and texts for users. */

/** Code, placeholders and addresses count as one word each. */
const ATOMS = /`[^`\n]*`|\$\{[^}]*\}|<[\w <>.-]+>|https?:\/\/\S+|\{[^}\s]*\}/g;
const WORD = /[\p{L}\p{N}]/u;

/** A word has a letter or a digit. References such as `§5.2` do not count. */
export const wordsIn = (sentence: string): number =>
  sentence
    .replaceAll(ATOMS, 'x')
    .split(/[\s/–—]+/)
    .filter((part) => WORD.test(part) && !part.startsWith('§')).length;

/** A sentence ends at `.`, `!` or `?` before a capital letter, a digit, a quote or code. */
export const sentencesIn = (text: string): string[] =>
  text
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?][)"'*_`]*) (?=["'`(*§[]*[\p{Lu}\d§`])/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');

const BLOCK_COMMENT = /^[ \t]*\/\*([\s\S]*?)\*\//gm;
const LINE_COMMENTS = /^(?:[ \t]*\/\/.*\n?)+/gm;
const INDENTED = /^ {4}.*$/gm;
/** Directives for tools, code and tables are no prose. */
const NO_PROSE = /^\s*(?:biome-ignore|@|\d)|```|\n\s*\|/;

/** Block comments, and adjacent line comments as one. */
export function commentsIn(code: string): string[] {
  const blocks = [...code.matchAll(BLOCK_COMMENT)].map(([, text = '']) => text.replaceAll(/^[ \t]*\*+[ \t]?/gm, ''));
  const lines = [...code.matchAll(LINE_COMMENTS)].map(([text]) => text.replaceAll(/^[ \t]*\/\/+ ?/gm, ''));
  return [...blocks, ...lines].map((text) => text.replaceAll(INDENTED, '')).filter((text) => !NO_PROSE.test(text));
}

const LITERAL = /(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/;
const CALL = /^([ \t]*)(describe|test)((?:\.\w+)*)[(<]/gm;

/** Names of tests, each after the titles of its `describe` blocks. The formatter guarantees the indentation. */
export function testNamesIn(code: string): string[] {
  const blocks: { readonly indent: number; readonly title: string }[] = [];
  return [...code.matchAll(CALL)].flatMap(({ 0: call, 1: space = '', 2: kind, 3: members = '', index }) => {
    const title = titleIn(code.slice(index + call.length), members.includes('each'));
    while (blocks.length > 0 && (blocks.at(-1)?.indent ?? 0) >= space.length) blocks.pop();
    if (title === undefined) return [];
    if (kind === 'test') return [...blocks.map((block) => block.title), title].join(' ');
    blocks.push({ indent: space.length, title });
    return [];
  });
}

/** The title of `each(cases)(title, ...)` follows the cases. */
function titleIn(call: string, followsCases: boolean): string | undefined {
  const cases = followsCases ? call.indexOf(')(') : 0;
  if (cases < 0) return undefined;
  const rest = call.slice(followsCases ? cases + 2 : 0).trimStart();
  const found = LITERAL.exec(rest);
  return found?.index === 0 ? found[2] : undefined;
}

const FENCED = /^(`{3,})[\s\S]*?^\1\s*$/gm;
const SOURCES = / ?\((?:\[[^\]]*\]\([^)]*\)(?:, )?)+\)/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;

/** People read only the description of a picture. */
const PICTURE = /<picture>.*?alt="([^"]*)".*?<\/picture>/gs;

/** Paragraphs, list items, headings and table cells of a document, without code and references to files. */
export function paragraphsIn(markdown: string): string[] {
  const blocks = markdown
    .replaceAll(FENCED, '')
    .replaceAll(PICTURE, '$1')
    .split(/\n(?=\s*(?:\n|[-#>|]|\d+\. ))/);
  return blocks.flatMap((block) => {
    const plain = block.replaceAll(SOURCES, '').replaceAll(LINK, '$1').trim();
    return plain.startsWith('|') ? plain.split('|') : [plain.replace(/^(?:[-#>]+|\d+\.) /, '')];
  });
}

const FEWEST_WORDS = 5;
const CODE = /[;{}]|=>/;

/** Texts for users: string literals of several words, joined if they are added. Comments and code are left out. */
export function textsIn(code: string): string[] {
  const bare = code.replaceAll(BLOCK_COMMENT, '').replaceAll(LINE_COMMENTS, '');
  const lines = bare.replaceAll(/(['`])\s*\+\s*\1/g, '').split('\n');
  const literals = lines.flatMap((line) => [...line.matchAll(new RegExp(LITERAL, 'g'))]);
  return literals
    .map(([, , text = '']) => text)
    .filter((text) => wordsIn(text) >= FEWEST_WORDS && !CODE.test(text.replaceAll(ATOMS, '')));
}
