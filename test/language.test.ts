/** Checks the rules for texts of CONTRIBUTING: short sentences, and a subject at their beginning. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commentsIn, paragraphsIn, sentencesIn, testNamesIn, textsIn, wordsIn } from './prose.ts';

const PROJECT = join(import.meta.dirname, '..');
const FOLDERS = ['functions', 'infra', 'shared', 'test'];
const AT_THE_TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
/** Recorded data, suites of other runners, and expected pages. */
const DATA = /samples\/(?:playwright|traces)|context\/expected\//;
const LONGEST = 20;
/** Openings of a clause without a subject. A question may have them. */
const HEADLESS = /^["'(*§\d. ]*(?:What|Who|Whom|Whose|Whoever|Whatever|Those (?:of|that|who))\b[^?]*$/;

/** Openings of a comment that only its neighbour explains. */
const RELATIVE =
  /^(?:§[\d., to]+)*(?:The same (?:for|in|with|as|per|of|,)|(?:Otherwise|That of|Those|It|They|These|Its|Their)\b)/;
/** A comment that says what was done, but not to what. */
const PARTICIPLE =
  /^(?:§[\d., to]+)*(?:[A-Z][a-z]+ed|Built|Written|Sent|Made|Kept|Known) (?:at|by|with|when|if|from|in|before|after|for|on|because|so)\b/;
/** A shorter comment, such as "Milliseconds.", has no subject. */
const FEWEST_WORDS = 3;

interface Source {
  readonly file: string;
  readonly text: string;
}

let sources: readonly Source[];
beforeAll(async () => {
  const below = FOLDERS.map(async (folder) => {
    const names = await readdir(join(PROJECT, folder), { recursive: true });
    return names.map((name) => `${folder}/${name}`);
  });
  const files = [...AT_THE_TOP, ...(await Promise.all(below)).flat()].filter(
    (file) => /\.(?:ts|mjs|js|md)$/.test(file) && !DATA.test(file),
  );
  sources = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(PROJECT, file), 'utf8') })));
});

const CODE = /\.(?:ts|mjs|js)$/;
const KINDS: Readonly<Record<string, { readonly files: RegExp; readonly sentences: (text: string) => string[] }>> = {
  comments: { files: CODE, sentences: (text) => commentsIn(text).flatMap(sentencesIn) },
  'test names': { files: /\.test\.ts$/, sentences: testNamesIn },
  documents: { files: /\.md$/, sentences: (text) => paragraphsIn(text).flatMap(sentencesIn) },
  'texts for users': {
    files: /^(?:functions|infra|shared)\/.*\.ts$/,
    sentences: (text) => textsIn(text).flatMap(sentencesIn),
  },
};

describe.each(Object.entries(KINDS))('%s', (_, { files, sentences }) => {
  const found = () =>
    sources
      .filter(({ file }) => files.test(file))
      .flatMap(({ file, text }) => sentences(text).map((sentence) => ({ file, sentence })));

  test('have at most 20 words per sentence', () => {
    const all = found();
    const long = all.filter(({ sentence }) => wordsIn(sentence) > LONGEST);
    expect(long.map(({ file, sentence }) => `${file} (${wordsIn(sentence)} words): ${sentence}`)).toEqual([]);
    expect(all.length).toBeGreaterThan(500);
  });

  test('have sentences with a subject, not with an opening such as "What ... is"', () => {
    const headless = found().filter(({ sentence }) => HEADLESS.test(sentence));
    expect(headless.map(({ file, sentence }) => `${file}: ${sentence}`)).toEqual([]);
  });
});

test('a comment is a sentence of its own, neither a word nor a reference to its neighbour', () => {
  const comments = sources
    .filter(({ file }) => CODE.test(file))
    .flatMap(({ file, text }) => commentsIn(text).map((comment) => ({ file, comment: comment.trim() })));
  const dependent = comments.filter(({ comment }) => needsNeighbour(comment));
  expect(dependent.map(({ file, comment }) => `${file}: ${comment}`)).toEqual([]);
});

/** A comment that only names a section of the specification is complete. */
const needsNeighbour = (comment: string): boolean =>
  RELATIVE.test(comment) ||
  PARTICIPLE.test(comment) ||
  (wordsIn(comment) < FEWEST_WORDS && !/^§[\d., §]*$/.test(comment) && comment !== '');

describe('the check', () => {
  const twentyOne = Array.from({ length: 21 }, (_, index) => `word${index}`).join(' ');

  test.each([
    ['a comment', commentsIn(`/** ${twentyOne} */`)],
    ['a comment of several lines', commentsIn(`  // ${twentyOne.replace(' word9', '\n  // word9')}\n  call();`)],
    ['a test name', testNamesIn(`describe('word', () => {\n  test('${twentyOne.slice(6)}', f);`)],
    ['a test with cases', testNamesIn(`test.each([1])('${twentyOne}', f);`)],
    ['a list item', paragraphsIn(`- ${twentyOne}`)],
    ['a table cell', paragraphsIn(`| a | ${twentyOne} |`)],
    ['an error text', textsIn(`throw new Error('${twentyOne}');`)],
    ['an added text', textsIn(`'${twentyOne.replace(' word9', " ' +\n  'word9")}'`)],
  ])('finds a long sentence in %s', (_, texts) => {
    expect(texts.flatMap(sentencesIn).map(wordsIn)).toContain(21);
  });

  test('ends a sentence at a full stop, not inside an abbreviation or a number', () => {
    expect(sentencesIn('One of 1.5 such as `a.b`, e.g. this. Two! Three? `four` is.')).toEqual([
      'One of 1.5 such as `a.b`, e.g. this.',
      'Two!',
      'Three?',
      '`four` is.',
    ]);
  });

  test('finds comments that need their neighbour', () => {
    const comments = [
      'Milliseconds.',
      '§6 Best first.',
      'The same for updates.',
      'Written at the end.',
      '§5.1, §5.2',
      'The creation time.',
    ];
    expect(comments.filter(needsNeighbour)).toEqual(comments.slice(0, 4));
  });

  test('finds headless sentences, but no questions', () => {
    const sentences = ['What the run costs.', 'Who may read.', 'Those of others.', 'What is it?', 'The rest.'];
    expect(sentences.filter((one) => HEADLESS.test(one))).toEqual(sentences.slice(0, 3));
  });
});
