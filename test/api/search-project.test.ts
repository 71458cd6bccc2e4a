import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { cases } from '#test/harness/cases.ts';
import { query } from '#test/harness/client.ts';
import { onBranch } from '#test/harness/comparisons.ts';
import { startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { COMMIT, partsOf, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

/** Records a finished run of `tests`. Each test is named `file > title`. */
function record(tenant: Tenant, ciBuildId: string, tests: readonly string[], more: object = {}) {
  const files = Map.groupBy(tests, (name) => partsOf(name).spec);
  const instances = [...files].map(([spec, own]) =>
    batchInstance('unit', spec, Object.fromEntries(own.map((name) => [name, passed()]))),
  );
  return upload(tenant, [suiteGroup('unit', tests)], instances, { ciBuildId, ...onBranch('main'), ...more });
}

async function search({ reader, projectId }: Tenant, q: string, limit = 20) {
  const { status, body } = await reader.get(
    `/projects/${projectId}/search${query(['q', q], ['limit', String(limit)])}`,
  );
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'OK' } });
  const { tests, specFiles, runs } = body.data;
  return {
    tests: tests.data.map(({ spec, title }: Record<string, string>) => `${spec} > ${title}`),
    specFiles: specFiles.data.map(({ spec }: Record<string, string>) => spec),
    runs: runs.data.map(({ meta }: { meta: { ciBuildId: string } }) => meta.ciBuildId),
    more: [tests.has_more, specFiles.has_more, runs.has_more],
  };
}

const SHA = '30998b9f0c1d2e3f405162738495a6b7c8d9e0f1';

async function shop(): Promise<Stage> {
  const stage = await service();
  const tests = [
    'cart/cart.spec.ts > cart > reserves the last piece in stock',
    'cart/cart.spec.ts > cart > keeps its articles',
    'payment.spec.ts > order > is authorized by the card',
  ];
  await record(stage, 'shop-4820', tests, {
    ...onBranch('feature/gift-cards'),
    commit: {
      ...COMMIT,
      sha: SHA,
      branch: 'feature/gift-cards',
      message: 'Explain a declined card\n\nSecond paragraph',
    },
  });
  await compileRuns(stage);
  return stage;
}

describe('GET /projects/{projectId}/search', () => {
  test('finds tests by words of their title or file path in any order, and by parts of words', async () => {
    const stage = await shop();
    const reserves = 'cart/cart.spec.ts > cart > reserves the last piece in stock';
    expect((await search(stage, 'stock reserves')).tests).toEqual([reserves]);
    expect((await search(stage, 'LAST cart/cart')).tests).toEqual([reserves]);
    expect((await search(stage, 'thorized')).tests).toEqual(['payment.spec.ts > order > is authorized by the card']);
    expect((await search(stage, 'stock authorized')).tests).toEqual([]);
  });

  test('ranks a test higher if a word of its title begins with the search text', async () => {
    const stage = await shop();
    expect((await search(stage, 'car')).tests[0]).toMatch(/^(cart\/cart.spec.ts > cart|payment.spec.ts > order)/);
    await record(stage, 'shop-4821', ['a.spec.ts > shows a postcard', 'b.spec.ts > prints a card']);
    await compileRuns(stage);
    const { tests } = await search(stage, 'card');
    expect(tests.indexOf('b.spec.ts > prints a card')).toBeLessThan(tests.indexOf('a.spec.ts > shows a postcard'));
  });

  test('finds spec files by part of their path', async () => {
    expect((await search(await shop(), 'cart.spec')).specFiles).toEqual(['cart/cart.spec.ts']);
  });

  test.each([
    ['the build', 'shop-4820'],
    ['the number in the build', '4820'],
    ['the beginning of the commit', SHA.slice(0, 7)],
    ['the whole commit', SHA],
    ['a part of the branch', 'gift'],
    ['words of the message', 'card declined'],
    ['the author', 'alex'],
    ['the email address of the author', 'alex.doe@example.com'],
  ])('finds a run by %s', async (_, q) => {
    expect((await search(await shop(), q)).runs).toEqual(['shop-4820']);
  });

  test('finds a run by the number and the title of its pull request', async () => {
    const stage = await service();
    const commit = { ...COMMIT, message: 'Merge' };
    const event = {
      headRef: 'pay',
      headSha: SHA,
      baseRef: 'main',
      baseSha: 'b'.repeat(40),
      prTitle: 'Sell gift cards',
    };
    await record(stage, 'pull', ['a.spec.ts > adds'], {
      commit: { ...commit, ghaEventData: { ...event, htmlUrl: 'https://github.com/example/shop/pull/214' } },
    });
    await compileRuns(stage);
    expect((await search(stage, 'gift sell')).runs).toEqual(['pull']);
    expect((await search(stage, '214')).runs).toEqual(['pull']);
    expect((await search(stage, SHA.slice(0, 9))).runs).toEqual(['pull']);
  });

  test('A run with more than 32 searchable words is still found by its commit, build and branch', async () => {
    const stage = await service();
    const message = Array.from({ length: 60 }, (_, number) => `word${number}`).join(' ');
    await record(stage, 'long', ['a.spec.ts > adds'], {
      commit: { ...COMMIT, sha: SHA, branch: 'many-words', message },
    });
    await compileRuns(stage);
    for (const q of [SHA, 'long', 'many words']) expect([q, (await search(stage, q)).runs]).toEqual([q, ['long']]);
    expect((await search(stage, 'word59')).runs).toEqual([]);
  });

  test('searches only the first line of a commit message', async () => {
    expect((await search(await shop(), 'paragraph')).runs).toEqual([]);
  });

  test('does not find a deleted run', async () => {
    const stage = await shop();
    const { body } = await stage.reader.get(`/projects/${stage.projectId}/search?q=4820`);
    const [{ runId }] = body.data.runs.data;
    expect((await stage.api.send('DELETE', `/runs/${runId}`)).status).toBe(200);
    expect((await search(stage, '4820')).runs).toEqual([]);
  });

  test('returns at most the requested number of runs, and says that there are more', async () => {
    const stage = await service();
    for (let build = 1; build <= 5; build += 1) await record(stage, `nightly ${build}`, ['a.spec.ts > adds']);
    await compileRuns(stage);
    const { runs, more } = await search(stage, 'nightly', 2);
    expect(runs).toHaveLength(2);
    expect(more).toEqual([false, false, true]);
  });

  test('finds nothing for a text without letters or digits, and refuses an empty text', async () => {
    const stage = await shop();
    expect(await search(stage, '›')).toMatchObject({ tests: [], specFiles: [], runs: [] });
    expect((await stage.reader.get(`/projects/${stage.projectId}/search?q=%20`)).status).toBe(400);
    expect((await stage.reader.get(`/projects/${stage.projectId}/search`)).status).toBe(400);
  });

  test('does not find a run in progress, because its words are indexed only after it has ended', async () => {
    const stage = await service();
    await startRun(stage, [suiteGroup('unit', ['a.spec.ts > adds'])], { ciBuildId: 'open-1' });
    await compileRuns(stage);
    expect((await search(stage, 'open')).runs).toEqual([]);
  });
});

const WORD = fc.constantFrom('cart', 'carts', 'card', 'Pays', 'pay', 'größe', 'x2', '日本', 'a1b2c3d', 'tax', 'taxes');
const WORDS = fc.array(WORD, { minLength: 1, maxLength: 4 });
const PROJECT = fc.array(
  fc.record({
    tests: fc.array(fc.record({ file: WORD, title: WORDS }), { minLength: 1, maxLength: 4 }),
    message: WORDS,
    branch: WORDS,
    build: WORDS,
    sha: fc.stringMatching(/^[0-9a-f]{40}$/),
  }),
  { minLength: 1, maxLength: 3 },
);

test('A search for a word, a prefix of a word or a prefix of a commit finds the same tests and runs as a scan of all names, and nothing of another project', async () => {
  const stage = await service();
  let projects = 0;
  const property = fc.asyncProperty(PROJECT, async (runs) => {
    projects += 1;
    const { organizationId } = stage;
    const named = { organizationId, name: `Project ${projects}`, actor: OPERATOR };
    const { projectId } = await createProject(stage.services, named);
    const tenant = { ...stage, projectId };
    const names = new Set<string>();
    const texts = new Map<string, string>();
    for (const [index, run] of runs.entries()) {
      const tests = run.tests.map(({ file, title }) => `${file}.spec.ts > ${title.join(' ')}`);
      const ciBuildId = `${run.build.join('-')} ${projects} ${index}`;
      const message = run.message.join(' ');
      const branch = run.branch.join('/');
      const commit = { ...COMMIT, sha: run.sha, message, branch };
      await record(tenant, ciBuildId, [...new Set(tests)], { commit });
      for (const name of tests) names.add(name);
      texts.set(ciBuildId, `${ciBuildId} ${run.sha} ${message} ${branch}`);
    }
    await compileRuns(stage);
    const asked = new Set(
      runs.flatMap((run) => [...run.message, ...run.tests.flatMap(({ title }) => title), ...run.branch]),
    );
    const questions = [...asked].flatMap((word) => [word, word.slice(0, 2)]);
    for (const { sha } of runs) questions.push(sha.slice(0, 7), sha.slice(0, 12), sha);
    for (const q of questions) {
      const small = q.toLowerCase();
      const found = await search(tenant, q);
      const inNames = [...names].filter((name) => name.toLowerCase().includes(small));
      expect([q, found.tests.toSorted()]).toEqual([q, inNames.toSorted()]);
      const inRuns = [...texts].filter(([, text]) =>
        text
          .toLowerCase()
          .split(/[ \-/]/)
          .some((word) => word.startsWith(small)),
      );
      expect([q, found.runs.toSorted()]).toEqual([q, inRuns.map(([build]) => build).toSorted()]);
    }
  });
  await fc.assert(property, { numRuns: cases(100, 6) });
});
