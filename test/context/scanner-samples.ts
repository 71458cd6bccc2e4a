/**
 * Samples of the secrets that gitleaks 8.30.1 (MIT) looks for: one line of test/samples/scanner-shapes.tsv per format.
 * Formats that it does not know are in test/samples/current-shapes.tsv: the name of the mask, the format, and the public
 * document or scanner that describes the format (https://github.com/betterleaks/betterleaks at 6381fa4,
 * https://github.com/trufflesecurity/trufflehog at 3ab759f, https://github.com/google/osv-scalibr,
 * https://github.com/redact-secret/redact-secret). `<32:h>` stands for 32 characters of the alphabet `h`. Samples are assembled at run time, so that secret scanners do
 * not report this repository.
 */
import { readFileSync } from 'node:fs';
import { noise } from '#test/harness/noise.ts';

const linesOf = (file: string): readonly string[] =>
  readFileSync(new URL(`../samples/${file}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

/** The ids of the rules of the newest gitleaks. A test fails if one of them has no samples and is not in `NOT_MASKED`. */
export const gitleaksRules = (): readonly string[] =>
  linesOf('gitleaks-rules.txt').filter((line) => !line.startsWith('#'));

/** Rules of gitleaks whose secrets are not masked, with the reason. */
export const NOT_MASKED: ReadonlyMap<string, string> = new Map([
  ['pkcs12-file', 'It reports files by their names, and no text.'],
]);

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  '0': DIGITS,
  h: `${DIGITS}abcdef`,
  H: `${DIGITS}ABCDEF`,
  fF0: `${DIGITS}abcdefABCDEF`,
  'a-h0': `${DIGITS}abcdefgh`,
  a: LOWER,
  a0: LOWER + DIGITS,
  A0: UPPER + DIGITS,
  'A2-7': `${UPPER}234567`,
  aA: LOWER + UPPER,
  aA0: LOWER + UPPER + DIGITS,
  age: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
};

const LONG = 8;

export interface ScannerSample {
  readonly rule: string;
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

/**
 * Assignments of a secret to a variable that is named after its service. Each function returns the text before the
 * secret and the text after the secret.
 */
const ASSIGNMENTS: readonly ((name: string) => readonly [string, string])[] = [
  (name) => [`export ${name.toUpperCase()}_KEY=`, '\n'],
  (name) => [`${name}_token: "`, '"'],
  (name) => [`{"${name}Secret":"`, '"}'],
  (name) => [`'${name}' => '`, "'"],
  (name) => [`${name}.key = `, '\nnext = 1'],
  (name) => [`my_${name}: `, ''],
];

export const scannerSamples = (): ScannerSample[] => linesOf('scanner-shapes.tsv').flatMap(samplesOf);

/** For each format: the name of the mask, the source of the format and a sample. */
export const currentSamples = (): readonly (readonly [shape: string, source: string, secret: string])[] =>
  linesOf('current-shapes.tsv').map((line) => {
    const [shape = '', format = '', source = ''] = line.split('\t');
    return [shape, source, filled(format)];
  });

function samplesOf(line: string): ScannerSample[] {
  const [rule = '', names = '', before = '', secret = '', after = ''] = line
    .split('\t')
    .map((part) => part.replaceAll('{n}', '\n'));
  if (names === '') return [{ rule, before: filled(before), secret: filled(secret), after }];
  return names.split(',').flatMap((name) =>
    ASSIGNMENTS.map((assignment) => {
      const [start, end] = assignment(name);
      return { rule, before: start, secret: filled(secret), after: end };
    }),
  );
}

const filled = (template: string): string =>
  template
    .replaceAll(/<(\d+):([^>]+)>/g, (_, length: string, alphabet: string) => drawn(Number(length), alphabet))
    .replaceAll(/b64\{([^}]+)\}/g, (_, text: string) => Buffer.from(text).toString('base64'));

/**
 * Draws random characters from the alphabet that `name` begins with. Any further characters of `name` are added to the
 * alphabet. Long samples contain a digit if the alphabet contains 0, because nearly all real secrets contain a digit.
 */
function drawn(length: number, name: string): string {
  const [, known = '', signs = ''] = /^(a-h0|A2-7|[a-zA-Z0]+)(.*)$/.exec(name) ?? [];
  const alphabet = (ALPHABETS[known] ?? '') + signs;
  if (alphabet === '') throw new Error(`Unknown alphabet ${name}. Add it to ALPHABETS`);
  const numbers = noise(length * 4);
  const letter = (_: unknown, at: number) => alphabet[numbers.readUInt32BE(at * 4) % alphabet.length];
  const text = Array.from({ length }, letter).join('');
  return length >= LONG && alphabet.includes('0') && !/\d/.test(text) ? drawn(length, name) : text;
}
