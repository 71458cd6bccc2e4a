import { describe, expect, test } from 'vitest';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { maskObject } from '#shared/masking/mask-object.ts';
import { maskPieces, maskText } from '#shared/masking/masking.ts';
import { attack } from '#test/harness/attacks.ts';
import { failedRun, failedTest } from './examples.ts';
import { NEAR_MISSES, ORDINARY_OUTPUT } from './ordinary-output.ts';
import { privateKey } from './sample-text.ts';
import { currentSamples, gitleaksRules, NOT_MASKED, scannerSamples } from './scanner-samples.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const MASK = '[masked: GitHub token]';

describe('Known secret formats', () => {
  test('There are samples of at least twenty secret formats', () => {
    expect(new Set(SECRET_SAMPLES.map(({ shape }) => shape)).size).toBeGreaterThanOrEqual(20);
  });

  test.each(SECRET_SAMPLES)(
    'Secrets are masked without changing the text around them: $shape after «$before»',
    (sample) => {
      const { shape, before, secret, after } = sample;
      const expected = `${before}[masked: ${shape}]${after}`;
      expect(maskText(before + secret + after)).toBe(removeControlSequences(expected));
    },
  );

  test.each(NEAR_MISSES)('Ordinary text that resembles a secret is not masked: %s', (text) => {
    expect(maskText(text)).toBe(text);
  });

  test('Masking is idempotent: masking a masked text again changes nothing', () => {
    const once = SECRET_SAMPLES.map(({ before, secret, after }) => maskText(before + secret + after));
    expect(once.map(maskText)).toEqual(once);
  });

  test('Secrets on consecutive lines are all masked', () => {
    const all = SECRET_SAMPLES.map(({ before, secret, after }) => before + secret + after).join('\n');
    const shown = maskText(all);
    for (const { secret } of SECRET_SAMPLES) expect(shown).not.toContain(secret);
  });

  test('Secrets are masked even if they contain terminal colors', () => {
    expect(maskText(`expected "${TOKEN.slice(0, 9)}\u001b[7m${TOKEN.slice(9)}\u001b[27m"`)).toBe(`expected "${MASK}"`);
  });

  test('Texts without a secret keep their terminal colors', () => {
    expect(maskText('\u001b[31mred\u001b[39m')).toBe('\u001b[31mred\u001b[39m');
  });
});

describe('The secret formats of gitleaks', () => {
  const samples = scannerSamples();
  const rules = Map.groupBy(samples, ({ rule }) => rule);

  test('Every rule of gitleaks has samples, or a reason why its secrets are not masked', () => {
    const unjudged = gitleaksRules().filter((rule) => !rules.has(rule) && !NOT_MASKED.has(rule));
    expect(unjudged).toEqual([]);
    expect(new Set([...rules.keys(), ...NOT_MASKED.keys()])).toEqual(new Set(gitleaksRules()));
    expect(samples.length).toBeGreaterThan(800);
  });

  test.each([...rules])('Secrets of the gitleaks rule %s are masked', (_, all) => {
    attack('secret formats', all.length);
    const shown = all.map(({ before, secret, after }) => ({ secret, page: maskText(before + secret + after) }));
    expect(shown.filter(({ secret, page }) => page.includes(secret) || page.includes(secret.slice(-8)))).toEqual([]);
  });
});

describe('The secret formats that gitleaks does not know', () => {
  test.each(currentSamples())('Exactly the secret is masked: %s %#, format from %s', (shape, source, secret) => {
    expect(source).toMatch(/^(?:https:\/\/|[a-z-]+ (?:detector|rule) )/);
    const texts = [
      ['the value ', ' was sent'],
      ['denied for ', '.\n'],
      ['{"error":"bad ', '"}'],
    ] as const;
    attack('secret formats', texts.length);
    const shown = texts.map(([before, after]) => maskText(before + secret + after));
    expect(shown).toEqual(texts.map(([before, after]) => `${before}[masked: ${shape}]${after}`));
  });
});

describe('Ordinary test output', () => {
  test.each(ORDINARY_OUTPUT)('stays unchanged: %s', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

describe('Output in pieces', () => {
  test('A secret that is split over three pieces of output is masked', () => {
    expect(maskPieces([`a ${TOKEN.slice(0, 12)}`, TOKEN.slice(12, 30), `${TOKEN.slice(30)} b\n`])).toEqual([
      `a ${MASK}`,
      '',
      ' b\n',
    ]);
  });

  test('A private key that is printed line by line is masked', () => {
    const lines = `before\n${privateKey('EC ')}\nafter\n`.split(/(?<=\n)/);
    expect(maskPieces(lines).join('')).toBe('before\n[masked: private key]\nafter\n');
  });

  test('Pieces of output that each contain a whole secret are masked as if each piece were masked alone', () => {
    const pieces = SECRET_SAMPLES.map(({ before, secret, after }) => `${before}${secret}${after}\n`);
    expect(maskPieces(pieces).join('')).toBe(pieces.map(maskText).join(''));
  });

  test('Pieces of output without secrets stay unchanged, including their terminal colors', () => {
    const pieces = ['two ', '\u001b[1mpieces\u001b[22m\n', ''];
    expect(maskPieces(pieces)).toEqual(pieces);
  });

  test('A secret is masked even if the piece of output before it ends with a letter', () => {
    expect(maskPieces(['token is', TOKEN])).toEqual(['token is', MASK]);
  });
});

describe('A masked context', () => {
  /** A run whose texts all contain a secret, except its level and the service's own ids and links. */
  const spoiled = JSON.parse(JSON.stringify(failedRun), (key, value) => {
    const isKept = ['level', 'projectId', 'runId', 'instanceId', 'testId', 'signature', 'url'].includes(key);
    return typeof value === 'string' && !isKept ? `${value} ${TOKEN}` : value;
  });

  test('has no secret in any text other than the ids and links of the service', () => {
    const shown = JSON.stringify(maskObject(spoiled));
    expect(shown).not.toContain(TOKEN);
    expect(shown.split(MASK).length).toBe(JSON.stringify(spoiled).split(TOKEN).length);
  });

  test('keeps its ids and the presigned URLs of the service', () => {
    const signed = {
      name: 'trace.zip',
      url: 'https://files.example.com/a?X-Amz-Signature=0f1e2d3c4b5a6978&token=abcdef',
    };
    const context = { ...failedTest, errorContext: signed, meta: { ...failedTest.meta, testId: TOKEN } };
    const assets = {
      traces: [signed],
      screenshots: [signed],
      videos: [signed],
      attachments: [{ ...signed, filename: null, contentType: 'x' }],
      totals: { traces: 1, screenshots: 1, videos: 1, attachments: 1 },
    };
    expect(maskObject({ ...context, assets })).toEqual({ ...context, assets });
  });

  test('has no secret in the URLs of network requests and pull requests', () => {
    const url = 'https://shop.example.com/?token=abcdef';
    const shown = maskObject({
      ...failedTest,
      traceErrorAnalysis: {
        consoleEntries: [{ time: 1, messageType: 'log', text: 'x', location: { url, lineNumber: 1, columnNumber: 1 } }],
        networkRequests: [{ time: 1, url, status: 200, method: 'GET' }],
      },
      git: { repository: url, branch: null, sha: null, pullRequest: { number: '1', url, baseBranch: null } },
    });
    expect(JSON.stringify(shown)).not.toContain('abcdef');
  });

  test('Masking returns a copy of the context and does not change the original', () => {
    const before = JSON.stringify(spoiled);
    maskObject(spoiled);
    expect(JSON.stringify(spoiled)).toBe(before);
  });
});
