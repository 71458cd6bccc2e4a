/**
 * When recording shortens a text in the middle of a secret, no part of the secret may be shown, although neither of its
 * halves looks like a secret.
 */
import { expect, test } from 'vitest';
import { BEGINNING_CUT, REST_CUT } from '#shared/engine/cut-text.ts';
import { MCP_LIMITS } from '#shared/mcp/limits.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { leaks } from '#test/context/sample-leaks.ts';
import { SECRET_SAMPLES } from '#test/context/secret-samples.ts';
import { sampled } from '#test/harness/cases.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, failed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { callTool } from '#test/mcp/agents.ts';

type Sample = (typeof SECRET_SAMPLES)[number];

const words = (characters: number): string =>
  'the order has two articles\n'.repeat(Math.ceil(characters / 27)).slice(0, characters);

/**
 * A long text that recording shortens in the middle of the secret: `inside` characters of the secret are before the
 * cut.
 */
function endingIn({ before, secret, after }: Sample, inside: number, limit: number): string {
  const kept = limit - REST_CUT.length;
  return `${words(kept - inside - before.length - 1)}\n${before}${secret}${after}\n${words(2000)}`;
}
function beginningIn({ before, secret, after }: Sample, inside: number, limit: number): string {
  const kept = limit - BEGINNING_CUT.length;
  return `${words(2000)}\n${before}${secret}${after}\n${words(kept - (secret.length - inside) - after.length - 1)}`;
}

const errorOf = (parts: object) => ({ errors: [{ message: 'it failed', ...parts }] });
const stepOf = (parts: object) => ({
  steps: [{ title: 'pays', category: 'test.step', duration: 1, steps: [], ...parts }],
});
const {
  errorMessageCharacters,
  errorStackCharacters,
  errorSnippetCharacters,
  stepTitleCharacters,
  outputCharacters,
  testErrorBytes,
} = RECORDING_LIMITS;

/** Each kind of text of an attempt that recording may shorten. */
const CUTS: Readonly<Record<string, (sample: Sample, inside: number) => object>> = {
  message: (sample, inside) => errorOf({ message: endingIn(sample, inside, errorMessageCharacters) }),
  stack: (sample, inside) => errorOf({ stack: endingIn(sample, inside, errorStackCharacters) }),
  snippet: (sample, inside) => errorOf({ snippet: endingIn(sample, inside, errorSnippetCharacters) }),
  'message of a step': (sample, inside) =>
    stepOf({ error: { message: endingIn(sample, inside, errorMessageCharacters) } }),
  'title of a step': (sample, inside) => stepOf({ title: endingIn(sample, inside, stepTitleCharacters) }),
  stdout: (sample, inside) => ({ stdout: [beginningIn(sample, inside, outputCharacters)] }),
  'lines of stderr': (sample, inside) => ({
    stderr: beginningIn(sample, inside, outputCharacters).split(/(?<=\n)/),
  }),
  // Ten messages share the limit for all errors of a test.
  'messages of many errors': (sample, inside) => ({
    errors: Array.from({ length: 10 }, () => ({ message: endingIn(sample, inside, testErrorBytes / 10) })),
  }),
};

const TESTS_PER_RUN = 8;
/**
 * The fractions of the secret that are before the cut. `test/context/masked-cut.test.ts` tries a cut after each
 * character.
 */
const SHARES = [0, 0.2, 0.5, 0.8, 1];
/**
 * `npm test` tries only every 131st case. This number is prime, so that the sample includes each kind of text and each
 * fraction.
 */
const ONE_OF = 131;

test('The failure context in JSON, Markdown and MCP shows no part of a secret in a text that recording shortened', {
  timeout: 3_600_000,
}, async () => {
  const { origin, keys, api, ...recorder } = await service();
  const all = sampled(
    SECRET_SAMPLES.flatMap((sample) =>
      Object.entries(CUTS).flatMap(([kind, textsOf]) =>
        SHARES.map((share) => {
          const inside = Math.round(share * sample.secret.length);
          return { ...sample, kind, inside, texts: () => textsOf(sample, inside) };
        }),
      ),
    ),
    ONE_OF,
  );
  const leaked: string[] = [];
  let cut = 0;
  for (let start = 0; start < all.length; start += TESTS_PER_RUN) {
    const some = all.slice(start, start + TESTS_PER_RUN);
    const tests = Object.fromEntries(
      some.map(({ texts }, index) => [
        `cart.spec.ts > pays ${index}`,
        failed({ attempts: [attempt('failed', { attempt: 0, errors: [{ message: 'it failed' }], ...texts() })] }),
      ]),
    );
    const { runId } = await uploadRun({ ...recorder, api, keys }, tests, { ciBuildId: `build-${start}` });
    const json = await api.get(`/context?run_id=${runId}&limit=50`);
    expect(json.status).toBe(200);
    const markdown = await api.get(`/context?run_id=${runId}&limit=50&format=md`);
    expect(markdown.status).toBe(200);
    const answers = [JSON.stringify(json.body), String(markdown.body)];
    for (const { instanceId, testId } of json.body.data.list) {
      const args = { instance_id: instanceId, test_id: testId, detail: 'default', max_length: 60_000 };
      answers.push((await callTool(origin, keys.readWrite, 'get_context', args)).text);
    }
    cut += JSON.stringify(json.body).split(/is left out\]/).length - 1;
    for (const { shape, secret, kind, inside } of some)
      if (answers.some((page) => leaks(page, secret) || leaks(page, JSON.stringify(secret).slice(1, -1))))
        leaked.push(`${shape} in ${kind} after ${inside}`);
  }
  expect(cut).toBeGreaterThanOrEqual(all.length);
  expect(leaked).toEqual([]);
});

test('Run comparisons and MCP tools show no part of a secret in an error that they shorten', async () => {
  const { origin, keys, api, ...recorder } = await service();
  const samples = SECRET_SAMPLES.filter(({ before, secret, after }) => !/\s/.test(before + secret + after));
  const cutAt = (shown: number) =>
    samples.map(({ before, secret, after }, row) => {
      const inside = row % secret.length;
      return `${'a word '.repeat(shown).slice(0, shown - inside - before.length - 1)} ${before}${secret}${after} ${words(3000)}`;
    });
  // Errors that contain a secret at the position where MCP tools or comparisons shorten errors, or at twice this
  // position. Twice the final length is read and masked before an error is shortened.
  const messages = [MCP_LIMITS.errorCharacters, RESULT_LIMITS.comparison.errorCharacters].flatMap((shown) => [
    ...cutAt(shown),
    ...cutAt(2 * shown),
  ]);
  const answers: string[] = [];
  for (let start = 0; start < messages.length; start += 50) {
    const tests = messages.slice(start, start + 50).map((message, index) => {
      const attempts = [attempt('failed', { attempt: 0, errors: [{ message }] })];
      return [`cart.spec.ts > pays ${index}`, failed({ attempts })];
    });
    const more = { ciBuildId: `build-${start}` };
    const { runId, instances } = await uploadRun({ ...recorder, api, keys }, Object.fromEntries(tests), more);
    const comparison = await api.get(`/runs/${runId}/comparison?limit=50`);
    expect(comparison.status).toBe(200);
    answers.push(JSON.stringify(comparison.body));
    for (const instanceId of Object.values(instances))
      answers.push((await callTool(origin, keys.readWrite, 'get_instance', { instanceId })).text);
  }
  expect(answers.join('').split('a word a word').length).toBeGreaterThan(messages.length);
  const shown = samples.filter(({ secret }) => answers.some((page) => leaks(page, secret)));
  expect(shown.map(({ shape }) => shape)).toEqual([]);
});
