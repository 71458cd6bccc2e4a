/** Tests that secrets are found in every wrapping, and that exactly the secret is replaced. */
import { describe, expect, test } from 'vitest';
import { maskPieces, maskText } from '#shared/masking/masking.ts';
import { attack } from '#test/harness/attacks.ts';
import { ORDINARY_OUTPUT } from './ordinary-output.ts';
import { base64, hex, JWT, mixed, privateKey } from './sample-text.ts';

const SECRETS: readonly (readonly [shape: string, secret: string])[] = [
  ['GitHub token', `ghp_${mixed(36)}`],
  ['GitHub token', `ghs_2345678_${JWT}`],
  ['GitHub token', `github_pat_${mixed(22)}_${mixed(59)}`],
  ['GitLab token', `glpat-${mixed(27)}.01.${mixed(9)}`],
  ['CircleCI token', `CCIPAT_${mixed(22)}_${hex(40)}`],
  ['Buildkite token', `bkua_${hex(40)}`],
  ['Atlassian token', `ATCTT3${mixed(180)}=${hex(8)}`],
  ['Vercel token', `vcp_${mixed(56)}`],
  ['Supabase token', `sb_secret_${mixed(22)}_${mixed(8)}`],
  ['Currents token', `crnts_pat_${mixed(43)}`],
  ['npm token', `npm_${mixed(36)}`],
  ['Anthropic key', `sk-ant-api03-${mixed(60)}-${mixed(20)}AA`],
  ['SendGrid key', `SG.${mixed(22)}.${mixed(43)}`],
  ['AWS key id', `AKIA${'ABCDEFGHIJ234567'}`],
  ['JWT', [base64({ alg: 'ES256', kid: hex(16) }), base64({ sub: 'user-1', jti: hex(16) }), mixed(86)].join('.')],
];

/** Color codes, as terminals and the writers of reports print them. */
const COLORS = [
  '\u001b[31m',
  '\u001b]8;;https://shop.example.com\u0007',
  '[31m',
  '[0m',
  '[1;31m',
  '[38;5;196m',
  '[38;2;255;0;0m',
  String.raw`\u001b[31m`,
  String.raw`\u001B[7m`,
  String.raw`\\u001b[31m`,
  String.raw`\x1b[31m`,
  String.raw`\033[31m`,
  String.raw`\e[31m`,
  String.raw`\u001b\u005b31m`,
  String.raw`\u001b[K`,
  '%1B[31m',
  '%1b%5b31m',
  '&#27;[31m',
  '&#x1B;[31m',
  '#x1B[31m',
  '^[[31m',
  '\u241b[31m',
  '\ufffd[31m',
  '?[31m',
];
const INVISIBLE = [
  ...['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u0000', '\b', '\u007f'],
  ...[String.raw`\u200b`, String.raw`\u0000`, '%E2%80%8B', '&#8203;'],
];
const BREAKS = ['\n', '\r\n', String.raw`\n`, String.raw`\r\n`, '%0A', '%0D%0A'];
const BEFORE = [
  ...COLORS.filter((color) => !color.startsWith('\u001b')),
  ...INVISIBLE,
  ...[String.raw`\b`, String.raw`\f`, String.raw`\t`, '%20', '%3D', '%3d', '&quot;'],
];

const code = (sign: string): string => sign.charCodeAt(0).toString(16).padStart(2, '0');
const ESCAPES: Readonly<Record<string, (sign: string) => string>> = {
  'a percent sign': (sign) => `%${code(sign)}`,
  'two percent signs': (sign) => `%25${code(sign)}`,
  JSON: (sign) => String.raw`\u00${code(sign)}`,
  'JSON in JSON': (sign) => String.raw`\\u00${code(sign)}`,
  JavaScript: (sign) => String.raw`\x${code(sign)}`,
  'a decimal number in HTML': (sign) => `&#${sign.charCodeAt(0)};`,
  'a hexadecimal number in HTML': (sign) => `&#x${code(sign)};`,
  'a backslash': (sign) => `\\${sign}`,
};

const inBase64 = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64');
const BASE64: Readonly<Record<string, (secret: string) => string>> = {
  Base64: (secret) => inBase64(`token: ${secret}`),
  'the Base64 of URLs': (secret) => Buffer.from(`token: ${secret}`).toString('base64url'),
  'Base64 in Base64 in Base64': (secret) => inBase64(inBase64(inBase64(secret))),
  'Base64 after an accented letter': (secret) => inBase64(`clé ${secret}`),
  'Base64 before an emoji': (secret) => inBase64(`${secret} \u{1f600}`),
  'Base64 with a zero byte': (secret) => inBase64(`GH_TOKEN=${secret}\u0000HOME=/root\u0000`),
  'Base64 of bytes with a text': (secret) =>
    Buffer.concat([Buffer.from([255, 3, 128, 27]), Buffer.from(secret), Buffer.from([0, 200, 7])]).toString('base64'),
  'Base64 of UTF-16': (secret) => inBase64(`$env:T = "${secret}"`, 'utf16le'),
  'Base64 with lines of 76 characters': (secret) => inBase64(`token: ${secret} 1`).replaceAll(/.{76}(?=.)/g, '$&\n'),
  'Base64 with escaped slashes': (secret) => inBase64(`??>${secret}???>`).replaceAll('/', String.raw`\/`),
  'Base64 in a URL': (secret) => inBase64(`??>>~~${secret} ?`).replaceAll(/[+/=]/g, (sign) => encodeURIComponent(sign)),
  'Base64 after an escaped line break': (secret) => String.raw`\n${inBase64(secret)}`,
  'Base64 after a color': (secret) => `[31m${inBase64(secret)}[39m`,
  'Base64 with a color': (secret) => inBase64(`token: ${secret}`).replace(/.{20}/, '$&[31m'),
};

/** The texts in which a secret is not masked as expected: `value [masked: …] was sent`. */
const listFailures = (
  wrap: (secret: string) => string,
  expected: (mask: string) => string | RegExp,
): readonly string[] =>
  SECRETS.flatMap(([shape, secret]) => {
    attack('wrapped secrets');
    const shown = maskText(wrap(secret));
    const text = expected(`[masked: ${shape}]`);
    return (typeof text === 'string' ? shown === text : text.test(shown)) ? [] : [shown];
  });

const half = (secret: string): number => Math.ceil(secret.length / 2);

describe('A wrapped secret', () => {
  test.each([...COLORS, ...INVISIBLE, ...BREAKS])('Exactly the secret is masked if it contains %j', (noise) => {
    const wrap = (secret: string) =>
      `value ${secret.slice(0, half(secret))}${noise}${secret.slice(half(secret))} was sent`;
    expect(listFailures(wrap, (mask) => `value ${mask} was sent`)).toEqual([]);
  });

  test.each(BEFORE)('Exactly the secret is masked if it follows a letter and %j', (noise) => {
    const shown = (secret: string) => `value${noise}${secret} was sent`;
    expect(listFailures(shown, shown)).toEqual([]);
  });

  test.each(Object.entries(ESCAPES))('A secret whose punctuation is escaped by %s is masked', (_, escapeSign) => {
    const wrap = (secret: string) => `value "${secret.replaceAll(/[-_.=]/g, escapeSign)}" was sent`;
    expect(listFailures(wrap, (mask) => `value "${mask}" was sent`)).toEqual([]);
  });

  test.each(Object.entries(ESCAPES).filter(([name]) => name !== 'a backslash'))(
    'A private key whose spaces, or all signs, are escaped by %s is masked as a whole',
    (_, escapeSign) => {
      const key = privateKey('RSA ');
      const shown = [/ /g, /[^0-9A-Za-z]/g].map((signs) =>
        maskText(`value ${key.replaceAll(signs, escapeSign)} was sent`),
      );
      expect(shown).toEqual(Array(2).fill('value [masked: private key] was sent'));
    },
  );

  test('A secret whose letters and digits are all escaped is masked', () => {
    const wrap = (secret: string) =>
      `value "${secret.replaceAll(/./g, (character) => `%${code(character)}`)}" was sent`;
    expect(listFailures(wrap, (mask) => `value "${mask}" was sent`)).toEqual([]);
  });

  test.each(Object.entries(BASE64))('A secret in %s is masked', (_, encode) => {
    expect(
      listFailures(
        (secret) => `value\n${encode(secret)}\nwas sent`,
        () => /^value\n(?:\\n|\[31m)?\[masked: [A-Za-z ]+(?: in Base64){1,3}\](?:\[39m)?\nwas sent$/,
      ),
    ).toEqual([]);
  });

  test('A secret in two pieces of output, the second of which begins with a color, is masked', () => {
    const leaked = SECRETS.filter(([shape, secret]) => {
      const pieces = [`value ${secret.slice(0, half(secret))}`, `[31m${secret.slice(half(secret))} was sent`];
      return maskPieces(pieces).join('') !== `value [masked: ${shape}] was sent`;
    });
    expect(leaked).toEqual([]);
  });
});

describe('Text around a wrapped secret', () => {
  const token = `ghp_${mixed(36)}`;

  test('Colors as text, invisible characters and escapes outside a secret are not removed', () => {
    const around = `[31mred[39m zero\u200bwidth %5Ba%5D \\u0041 &#65; C:\\new1folder`;
    expect(maskText(around)).toBe(around);
    expect(maskText(`${around} ${token.slice(0, 9)}[7m${token.slice(9)} ${around}`)).toBe(
      `${around} [masked: GitHub token] ${around}`,
    );
  });

  test.each(['TypeError: no', '2026-11-29T10:20:43Z started', '    at cart.ts:1:2', '1 failed', '[31mred', 'Next 17'])(
    'The line after a secret is not masked if it does not look like a part of the secret: %s',
    (line) => {
      expect(maskText(`sent ${token}\n${line}`)).toBe(`sent [masked: GitHub token]\n${line}`);
    },
  );

  test.each([...COLORS, ...INVISIBLE, ...BREAKS])('Ordinary output with %j in each word is not changed', (noise) => {
    // Secrets after a name are found in the text as it is.
    const unnamed = ORDINARY_OUTPUT.filter((text) => !/cred|pass|secret|session|token/i.test(text));
    const texts = unnamed.map((text) => text.replaceAll(/\w{3}(?=\w{3})/g, `$&${noise}`));
    expect(texts.map(maskText)).toEqual(texts);
  });

  test('Words that only together look like a secret are not masked', () => {
    const text = `ghp_${mixed(20)} ${mixed(16)}\u200b\nnpm_${mixed(20)},${mixed(16)}%2D`;
    expect(maskText(text)).toBe(text);
  });
});
