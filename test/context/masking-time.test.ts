import { describe, expect, test } from 'vitest';
import { maskText } from '#shared/masking/masking.ts';
import { IS_DEEP, sampled } from '#test/harness/cases.ts';
import { growth, IN_PROPORTION } from './growth.ts';
import { largeFailure } from './large-failure.ts';
import { scannerSamples } from './scanner-samples.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

const CHARACTERS = 100_000;
/**
 * The maximum time for masking a text, as a multiple of the time for ordinary output of the same length. The existing
 * patterns take at most 8 times as long. A pattern that reads thousands of characters for each character of the text
 * takes at least 50 times as long.
 */
const MOST_TIMES = 20;
/** For ordinary output in another form, which takes at most 2.3 times as long. */
const MOST_TIMES_ESCAPED = 3;
/**
 * The maximum number of measurements. Only the fastest one counts, because other processes can only make a measurement
 * slower.
 */
const ROUNDS = 15;

/**
 * Texts that, when repeated, are the slowest inputs for the masking patterns, according to a checker of regular
 * expressions.
 */
const FOUND_HARD = [
  'SET-COOKIE:',
  'COOKIE:',
  'SCOOKIE:\t\n\t\n',
  'A--A',
  '--J',
  'APIKEY:0V',
  'CAPIKEY:K(',
  'CAPIKEY:\n\t',
  'FILL " ',
  'PASSWDU',
  'PASSWDNTEYEHW(',
  '.FILL("SECRET,"',
  '.fill("secret',
  '- WAITING FOR ',
  '- waiting for secret\n',
  '<INPUTTYPE=PASSWORDR',
  '<input ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA -',
  'eyJ',
  'eyJabcdefgh.',
  'eyJabcdefgh.eyJ',
  '://',
  '://a:',
  'token=',
  '"token":"',
  'token: ',
  '\\n',
  '%3D',
  'curl ',
  'curl -u ',
  'curl -u a:',
  'mysql -h ',
  'mysql -p',
  'login a password',
  '<password ',
  '<password>a',
  '<add key="',
  'kind: Secret\n',
  ' a: 1AAAAAAAAAA\n',
  'password:\n ',
  'password is a-',
  'passwordpassword is ',
  'sessionid=',
  'adobe',
  'adobe = ',
  'adobe 1a',
  '123456789012345|a',
  'sl.',
  'Z2hwXw',
  'gl',
  'sc_aaaaa.aaaa.acc-',
  'authorization=',
  'authorization=a1',
  'Authorization: ',
  '?api-key:1',
  '&api-key:1(',
  'lob=',
  'lob=a1',
  'sid=',
  'mysql.',
  'redis-cli=',
  'curl x ',
  'EAAA_',
  'ghs_',
  'MTA4',
  'a\u200bb',
  '%2D',
  'ab%2Dcd',
  '\\u002d',
  '[31m',
  '&#95;',
  'a[31mb',
  'a1b2\n',
  `${'aB3d'.repeat(19)}\n`,
  '\\\\n1a-',
];

/** The first half of each sample secret, with the text before it. */
const UNFINISHED = SECRET_SAMPLES.map(({ before, secret }) => before + secret.slice(0, Math.ceil(secret.length / 2)));

/**
 * Every prefix, up to 120 characters long, of every sample secret with the text before it: alone, and followed by `=`
 * or `:`.
 */
const BEGINNINGS = [...SECRET_SAMPLES, ...scannerSamples()].flatMap(({ before, secret }) => {
  const whole = `${before}${secret}`.slice(0, 120);
  return Array.from(whole, (_, end) => whole.slice(0, end + 1)).flatMap((part) => [part, `${part}=`, `${part}:`]);
});

const filled = (unit: string): string => unit.repeat(Math.ceil(CHARACTERS / unit.length)).slice(0, CHARACTERS);

const ORDINARY = filled(`${largeFailure.error?.stack}\n${largeFailure.stdout?.join('')}`);

const LINES = ORDINARY.split('\n');
const colorWords = (line: string, color: string, end: string): string =>
  line.replaceAll(/[\w./-]+/g, (word, at: number) => (at % 3 === 0 ? color + word + end : word));

/** As reports, logs and URLs print it. Every third word has a color. */
const ESCAPED_OUTPUT: Readonly<Record<string, (line: string) => string>> = {
  'in JSON': (line) => JSON.stringify(`${line}\n\t${line}`),
  'in JSON in JSON': (line) => JSON.stringify(JSON.stringify(`${line}\n\t${line}`)),
  'with colors without escape character': (line) => colorWords(line, '[31m', '[39m'),
  'with escaped colors': (line) => colorWords(line, String.raw`\u001b[31m`, String.raw`\u001b[39m`),
  'with backslashes for slashes': (line) => JSON.stringify(line.replaceAll('/', '\\')),
  'in HTML': (line) => line.replaceAll('/', '&#x2F;').replaceAll("'", '&#39;').replaceAll('"', '&quot;'),
  'in a URL': (line) => encodeURIComponent(line),
};

/** CPU time in microseconds, which excludes the time of other processes. */
function processorTime(text: string): number {
  const before = process.cpuUsage();
  maskText(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * The time for masking ordinary output, or `undefined` before the first measurement. The first measurement takes the
 * minimum of several rounds, because the first rounds also compile the code.
 */
let ordinaryTime: number | undefined;

/** The time for masking `text`, as a multiple of the time for masking 100 KB of ordinary output. Measures again until it is less than `most`. */
function timesOrdinary(text: string, most = MOST_TIMES): number {
  let ordinary = ordinaryTime ?? Math.min(...Array.from({ length: 10 }, () => processorTime(ORDINARY)));
  let times = Number.POSITIVE_INFINITY;
  let time = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && times >= most; round += 1) {
    if (round > 0) ordinary = Math.min(ordinary, processorTime(ORDINARY));
    time = Math.min(time, processorTime(text));
    times = time / ordinary;
  }
  ordinaryTime = ordinary;
  return times;
}

test.each(sampled(FOUND_HARD, 8))('Masking a text of many %j takes time in proportion to its length', (unit) => {
  expect(growth(maskText, unit)).toBeLessThan(IN_PROPORTION);
});

// The measured times depend on what else the process has in memory. They are too unreliable for `npm test`, so these
// tests run only in `npm run test:deep`.
describe.runIf(IS_DEEP)(
  'Masking 100 KB of a repeated text takes less than 20 times as long as masking 100 KB of ordinary output',
  () => {
    test.each([...new Set([...FOUND_HARD, ...UNFINISHED])])(
      'Masking a text that repeats %j takes less than 20 times as long as masking ordinary output',
      (unit) => {
        expect(timesOrdinary(filled(unit))).toBeLessThan(MOST_TIMES);
      },
    );

    test.each(Object.entries(ESCAPED_OUTPUT))(
      'Masking ordinary output %s takes less than 3 times as long as masking it as it is',
      (_, escapeLine) => {
        expect(timesOrdinary(filled(LINES.map(escapeLine).join('\n')), MOST_TIMES_ESCAPED)).toBeLessThan(
          MOST_TIMES_ESCAPED,
        );
      },
    );

    test('Masking a text that repeats any prefix of a secret takes less than 20 times as long as masking ordinary output', () => {
      const costly = sampled([...new Set(BEGINNINGS)], 2000).filter(
        (unit) => timesOrdinary(filled(unit)) >= MOST_TIMES,
      );
      expect(costly).toEqual([]);
    });
  },
);

test('The time for masking nested Base64 does not double with each of 16 levels', () => {
  let text = 'the total of the cart is 18';
  for (let level = 0; level < 16; level += 1) text = Buffer.from(text).toString('base64').replaceAll('=', '');
  expect(text.length).toBeLessThan(CHARACTERS);
  // If each of the sixteen levels doubled the time, masking would take 65,536 times as long.
  expect(timesOrdinary(text)).toBeLessThan(10 * MOST_TIMES);
});
