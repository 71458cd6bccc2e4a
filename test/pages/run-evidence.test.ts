import { describe, expect, test } from 'vitest';
import { showFile } from '#shared/ingest/show-file.ts';
import { artifacts, deriveObjectName } from '#shared/model/results/artifact.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { buildCommitUrl } from '#shared/pages/shell/commit-links.tsx';
import { batch } from '#test/harness/comparisons.ts';
import { attempt, error, failed, passed, testIdOf } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const SUMS = 'cart.spec.ts > sums';
const failingWith = (message: string) => failed({ attempts: [attempt('failed', { errors: [error(message)] })] });
const MISMATCH = 'Error: expect(received).toBe(expected)\n\nExpected: 1900\nReceived: 1890';

async function stage() {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const open = (runId: string) => guest.get(`/${here.organizationId}/${here.projectId}/runs/${runId}`);
  return { here, open };
}

/** Records a failed test with these screenshots. */
async function failedWithPictures(here: Awaited<ReturnType<typeof service>>, names: readonly string[]) {
  const { runId, instances } = await batch(here, 'run', { [SUMS]: failingWith(MISMATCH) });
  const [instanceId = ''] = Object.values(instances);
  const testId = testIdOf('retail', SUMS);
  for (const name of names) {
    const own = { artifactId: name, testId, expiry: NEVER };
    const contentType = `image/${name.split('.')[1] ?? 'png'}`;
    const kind = { type: 'screenshot', name, fileName: name, contentType } as const;
    const row = {
      ...kind,
      ...own,
      instanceId,
      objectName: deriveObjectName(own),
      attempt: 0,
      createdAt: 0,
      bytes: 1000,
    };
    const file = { ...row, organizationId: here.organizationId, runId, announcedBytes: 1000 };
    await here.services.table.put(artifacts, file);
    await showFile(here.services, file);
  }
  return { runId, instanceId, testId };
}

describe('The pictures on the page of a test', () => {
  test.each([
    {
      names: ['total-diff.webp', 'total-expected.webp', 'total-actual.webp'],
      compared: ['expected', 'actual', 'diff'],
    },
    { names: ['total-expected.png', 'total-actual.png'], compared: ['expected', 'actual'] },
    { names: ['total-expected.png', 'sum-actual.png', 'screenshot.webp'], compared: [] },
  ])(
    'The pictures of a snapshot are compared if its expected and its actual picture are there (files: $names)',
    async ({ names, compared }) => {
      const { here } = await stage();
      const { instanceId, testId } = await failedWithPictures(here, names);
      const guest = await signedIn(here, 'guest');
      const { html } = await guest.get(
        `/${here.organizationId}/${here.projectId}/instances/${instanceId}/test?test_id=${encodeURIComponent(testId)}`,
      );
      const captions = [...html.matchAll(/<figure class="shot \w+">.*?<figcaption>(\w+)<\/figcaption>/gs)];
      expect(captions.map(([, part]) => part)).toEqual(compared);
    },
  );
});

describe('The evidence on the page of a run', () => {
  test('The page of a run shows the expected and the received value of a new failure, and the failing line of code', async () => {
    const { here, open } = await stage();
    await batch(here, 'base', { [SUMS]: passed() });
    const { runId } = await batch(here, 'run', { [SUMS]: failingWith(MISMATCH) });
    const { text, html } = await open(runId);
    expect(text).toMatch(/Expected\s*1900\s*Received\s*1890/);
    expect(html).toContain('1<mark>89</mark>0');
    expect(text).toContain('expect(pieces).toBe(2)');
  });

  test('A secret in the received value is masked', async () => {
    const { here, open } = await stage();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { runId } = await batch(here, 'run', {
      [SUMS]: failingWith(`Error: expect(received).toBe(expected)\n\nExpected: "x"\nReceived: "${token}"`),
    });
    const { text } = await open(runId);
    expect(text).not.toContain(token);
    expect(text).toContain('[masked: GitHub token]');
  });

  test('The strip of executions of a test shows those on the default branch and in this run, but none on other branches', async () => {
    const { here, open } = await stage();
    await batch(here, 'main 1', { [SUMS]: passed() });
    await batch(here, 'feature', { [SUMS]: failed() }, 'feature');
    await batch(here, 'main 2', { [SUMS]: passed() });
    const { runId } = await batch(here, 'other', { [SUMS]: failed() }, 'other');
    const { html } = await open(runId);
    expect(html.match(/<li><a class="(?:passed|failed)"/g)).toHaveLength(3);
    expect(html).not.toContain('failed on feature');
  });

  test.each([
    { names: ['screenshot', 'total-actual.png', 'total-diff.png', 'total-expected.png'], shown: 'screenshot' },
    { names: ['total-actual.png', 'total-diff.png', 'total-expected.png'], shown: 'total-actual.png' },
    { names: ['total-expected.png', 'screenshot', 'total-diff.png'], shown: 'screenshot' },
    { names: ['total-expected.png'], shown: 'none' },
    { names: ['total-diff.webp', 'total-expected.webp', 'total-actual.webp'], shown: 'total-actual.webp' },
  ])(
    'The page of a run shows the screenshot of a failure, or else its actual image, but never the expected one (files: $names, shown: $shown)',
    async ({ names, shown }) => {
      const { here, open } = await stage();
      const { runId, testId } = await failedWithPictures(here, names);
      const { html } = await open(runId);
      const picture = shown === 'none' ? undefined : deriveObjectName({ artifactId: shown, testId, expiry: NEVER });
      expect(/<img src="[^"]*\/files\/([^"]+)"/.exec(html)?.[1]).toBe(picture && encodeURIComponent(picture));
    },
  );

  test('The page of a run says that a test with a new failure passed again in the next run on the branch', async () => {
    const { here, open } = await stage();
    await batch(here, 'base', { [SUMS]: passed() });
    const { runId } = await batch(here, 'run', { [SUMS]: failed() });
    expect((await open(runId)).text).not.toContain('passed again');
    await batch(here, 'elsewhere', { [SUMS]: passed() }, 'feature');
    expect((await open(runId)).text).not.toContain('passed again');
    await batch(here, 'next', { [SUMS]: passed() });
    expect((await open(runId)).text).toContain('It passed again in the next run on main. Probably repaired.');
  });
});

describe('The link of a commit', () => {
  const sha = 'cc9425b0123456789abcdef0123456789abcdef0';

  test.each([
    ['https://github.com/acme/shop.git', 'https://github.com/acme/shop/commit/'],
    ['git@github.com:acme/shop.git', 'https://github.com/acme/shop/commit/'],
    ['https://token@gitlab.com/acme/group/shop', 'https://gitlab.com/acme/group/shop/-/commit/'],
    ['ssh://git@bitbucket.org/acme/shop.git', 'https://bitbucket.org/acme/shop/commits/'],
  ])('A commit of the repository %s links to its page on the host of the repository', (remoteOrigin, page) => {
    expect(buildCommitUrl({ remoteOrigin, sha })).toBe(`${page}${sha}`);
  });

  test.each([
    'https://evil.example/acme/shop',
    'https://github.com.evil.example/acme/shop',
    'javascript:alert(1)//github.com/acme',
    'https://github.com@evil.example/acme/shop',
    '__proto__:acme/shop',
    'https://github.com/acme/shop?x=<script>',
  ])('A commit of the repository %s is not linked', (remoteOrigin) => {
    expect(buildCommitUrl({ remoteOrigin, sha })).toBeUndefined();
  });

  test('A commit that is not hexadecimal is not linked', () => {
    expect(buildCommitUrl({ remoteOrigin: 'https://github.com/acme/shop', sha: '../../evil' })).toBeUndefined();
  });
});
