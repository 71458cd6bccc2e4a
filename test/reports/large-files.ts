/** Generates large and hostile reports in parts, so that they are never completely in memory. */
import { constants, gzipSync } from 'node:zlib';
import { noise } from '#test/harness/noise.ts';

export type Parts = Iterable<string | Buffer>;

const MEGABYTE = 1024 * 1024;

function* repeated(megabytes: number, part: string): Generator<string> {
  for (let left = megabytes * MEGABYTE; left > 0; left -= part.length) yield part;
}

function* around(before: string, inside: Parts, after: string): Generator<string | Buffer> {
  yield before;
  yield* inside;
  yield after;
}

const TESTS = 100_000;
const FRAME = '    at Cart.add (/home/runner/work/shop/shop/src/cart.js:12:5)\n';

/**
 * Suites of a hundred tests, every fifth of which failed. The number of tests in a report is limited, so larger files
 * have longer stack traces instead of more tests.
 */
function* suites(megabytes: number): Generator<string> {
  const stack = FRAME.repeat(Math.ceil((megabytes * MEGABYTE) / (TESTS / 5) / FRAME.length));
  for (let suite = 0; suite < TESTS / 100; suite += 1) {
    const rows = Array.from({ length: 100 }, (_, row) => {
      const attributes = `classname="shop.Cart${suite}" name="adds article ${row} of ${suite}" time="0.0${row}"`;
      const failure = `<failure message="expected ${row} to be 4" type="AssertionError">${stack}</failure>`;
      return row % 5 === 0 ? `<testcase ${attributes}>${failure}</testcase>` : `<testcase ${attributes}/>`;
    });
    yield `<testsuite name="shop.Cart${suite}" tests="100">\n${rows.join('\n')}\n</testsuite>\n`;
  }
}

export const junitOf = (megabytes: number): Parts =>
  around('<?xml version="1.0"?><testsuites>', suites(megabytes), '</testsuites>');

const SPACES = ' '.repeat(MEGABYTE);
const LETTERS = 'x'.repeat(MEGABYTE);
const CTRF = '{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"tests":[';
const TESTCASE = '<testsuite name="s"><testcase name="x">';
const NOISE = noise(48 * 1024).toString('base64');

/** A gzip stream that inflates to a megabyte of spaces. A gzip file may consist of many such streams. */
const SMALL_BOMB = gzipSync(SPACES, { level: constants.Z_BEST_COMPRESSION });

function* bombParts(megabytes: number): Generator<Buffer> {
  yield gzipSync('<testsuite name="s"><testcase name="x"/>');
  for (let at = 0; at < megabytes; at += 1) yield SMALL_BOMB;
}

/** The hostile files, each with the expected result: the number of tests, or `refused`. */
export const HOSTILE: Readonly<Record<string, { readonly parts: () => Parts; readonly answer: number | 'refused' }>> = {
  'a section of 100 MB': {
    parts: () =>
      around(`${TESTCASE}<system-out><![CDATA[`, repeated(100, LETTERS), ']]></system-out></testcase></testsuite>'),
    answer: 1,
  },
  'a text of 100 MB': {
    parts: () => around(`${TESTCASE}<failure>`, repeated(100, LETTERS), '</failure></testcase></testsuite>'),
    answer: 1,
  },
  'an attribute of 100 MB': {
    parts: () => around('<testsuite name="s"><testcase name="', repeated(100, LETTERS), '"/></testsuite>'),
    answer: 1,
  },
  'a comment of 100 MB': {
    parts: () => around(`${TESTCASE}</testcase><!--`, repeated(100, LETTERS), '--></testsuite>'),
    answer: 1,
  },
  'a tag of 100 MB': {
    parts: () => around(`${TESTCASE}</testcase><`, repeated(100, LETTERS), '/></testsuite>'),
    answer: 1,
  },
  'attributes of 100 MB': {
    parts: () =>
      around(`${TESTCASE}</testcase><testcase name="y" `, repeated(100, 'a1="b" '.repeat(10_000)), '/></testsuite>'),
    answer: 2,
  },
  '50 MB of open elements': {
    parts: () => around(`${TESTCASE}</testcase>`, repeated(50, '<testsuite>'.repeat(10_000)), ''),
    answer: 1,
  },
  'a gzip bomb': { parts: () => bombParts(300), answer: 'refused' },
  'a JSON text of 100 MB': {
    parts: () =>
      around(`${CTRF}{"name":"a","status":"passed"},{"name":"`, repeated(100, LETTERS), '","status":"passed"}]}}'),
    answer: 2,
  },
  'a JSON name of 100 MB': {
    parts: () => around(`${CTRF}{"name":"a","status":"passed","`, repeated(100, LETTERS), '":1}]}}'),
    answer: 1,
  },
  'a JSON list of 50 MB': {
    parts: () => around(`${CTRF}{"name":"a","status":"passed","x":[0`, repeated(50, ',0'.repeat(50_000)), ']}]}}'),
    answer: 1,
  },
  '50 MB of open JSON lists': {
    parts: () => around(`${CTRF}{"name":"a","status":"passed"},{"x":`, repeated(50, '['.repeat(100_000)), ''),
    answer: 1,
  },
  'a blob line of 100 MB': {
    parts: () =>
      around(
        '{"method":"onBlobReportMetadata","params":{"version":2}}\n{"method":"onAttach","params":"',
        repeated(100, NOISE),
        '"}\n',
      ),
    answer: 0,
  },
};
