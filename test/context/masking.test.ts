import { describe, expect, test } from 'vitest';
import { masked, maskedPieces, maskedText } from '#shared/context/masking.ts';
import { withoutAnsi } from '#shared/context/plain-text.ts';
import { failedRun, failedTest } from './examples.ts';
import { NEAR_MISSES, privateKey, SECRET_SAMPLES } from './secret-samples.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const MASK = '[masked: GitHub token]';

describe('Secrets of known shapes', () => {
  test('are at least twenty', () => {
    expect(new Set(SECRET_SAMPLES.map(({ shape }) => shape)).size).toBeGreaterThanOrEqual(20);
  });

  test.each(SECRET_SAMPLES)(
    'are replaced by what they were, and nothing around them is: $shape after «$before»',
    (sample) => {
      const { shape, before, secret, after } = sample;
      const expected = `${before}[masked: ${shape}]${after}`;
      expect(maskedText(before + secret + after)).toBe(withoutAnsi(expected));
    },
  );

  test.each(NEAR_MISSES)('are not taken for what only looks like one: %s', (text) => {
    expect(maskedText(text)).toBe(text);
  });

  test('stay masked, and a second masking changes nothing', () => {
    const once = SECRET_SAMPLES.map(({ before, secret, after }) => maskedText(before + secret + after));
    expect(once.map(maskedText)).toEqual(once);
  });

  test('are found one after another, in lines and without a blank between them', () => {
    const all = SECRET_SAMPLES.map(({ before, secret, after }) => before + secret + after).join('\n');
    const shown = maskedText(all);
    for (const { secret } of SECRET_SAMPLES) expect(shown).not.toContain(secret);
  });

  test('are found where colours of a terminal stand within them', () => {
    expect(maskedText(`expected "${TOKEN.slice(0, 9)}\u001b[7m${TOKEN.slice(9)}\u001b[27m"`)).toBe(
      `expected "${MASK}"`,
    );
  });

  test('cost a text its colours only where there is one', () => {
    expect(maskedText('\u001b[31mred\u001b[39m')).toBe('\u001b[31mred\u001b[39m');
  });
});

describe('Output that comes in pieces', () => {
  test('shows no secret that only its pieces together are', () => {
    expect(maskedPieces([`a ${TOKEN.slice(0, 12)}`, TOKEN.slice(12, 30), `${TOKEN.slice(30)} b\n`])).toEqual([
      `a ${MASK}`,
      '',
      ' b\n',
    ]);
  });

  test('shows no key that was written line by line', () => {
    const lines = `before\n${privateKey('EC ')}\nafter\n`.split(/(?<=\n)/);
    expect(maskedPieces(lines).join('')).toBe('before\n[masked: private key]\nafter\n');
  });

  test('is masked once, though it is looked at twice', () => {
    const pieces = SECRET_SAMPLES.map(({ before, secret, after }) => `${before}${secret}${after}\n`);
    expect(maskedPieces(pieces).join('')).toBe(pieces.map(maskedText).join(''));
  });

  test('keeps pieces without secrets as they are, colours included', () => {
    const pieces = ['two ', '\u001b[1mpieces\u001b[22m\n', ''];
    expect(maskedPieces(pieces)).toEqual(pieces);
  });

  test('shows no secret that begins where the piece before it ends with a letter', () => {
    expect(maskedPieces(['token is', TOKEN])).toEqual(['token is', MASK]);
  });
});

describe('A context', () => {
  /** Every text of it, and of what is in it, but ids and links of ours. */
  const spoiled = JSON.parse(JSON.stringify(failedRun), (key, value) => {
    const isKept = ['level', 'projectId', 'runId', 'instanceId', 'testId', 'signature', 'url'].includes(key);
    return typeof value === 'string' && !isKept ? `${value} ${TOKEN}` : value;
  });

  test('is masked in every text', () => {
    const shown = JSON.stringify(masked(spoiled));
    expect(shown).not.toContain(TOKEN);
    expect(shown.split(MASK).length).toBe(JSON.stringify(spoiled).split(TOKEN).length);
  });

  test('keeps ids, and links of ours, whose signature they need', () => {
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
    expect(masked({ ...context, assets })).toEqual({ ...context, assets });
  });

  test('is masked in addresses that tests asked for and in those of pull requests', () => {
    const url = 'https://shop.example.com/?token=abcdef';
    const shown = masked({
      ...failedTest,
      traceErrorAnalysis: {
        consoleEntries: [{ time: 1, messageType: 'log', text: 'x', location: { url, lineNumber: 1, columnNumber: 1 } }],
        networkRequests: [{ time: 1, url, status: 200, method: 'GET' }],
      },
      git: { repository: url, branch: null, sha: null, pullRequest: { number: '1', url, baseBranch: null } },
    });
    expect(JSON.stringify(shown)).not.toContain('abcdef');
  });

  test('is not changed itself', () => {
    const before = JSON.stringify(spoiled);
    masked(spoiled);
    expect(JSON.stringify(spoiled)).toBe(before);
  });
});
