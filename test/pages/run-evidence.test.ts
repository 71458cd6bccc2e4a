import { describe, expect, test } from 'vitest';
import { findWebAddress } from '#shared/engine/web-address.ts';
import { showFile } from '#shared/ingest/show-file.ts';
import { artifacts, deriveObjectName } from '#shared/model/results/artifact.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { buildCommitUrl, buildLineUrl, buildPullRequestUrl, nameCiPage } from '#shared/pages/shell/code-host.ts';
import { attack } from '#test/harness/attacks.ts';
import { batch } from '#test/harness/comparisons.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, COMMIT, error, failed, passed, testIdOf } from '#test/harness/recording-messages.ts';
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
    { names: ['screenshot', 'total-actual.png', 'total-diff.png', 'total-expected.png'], shown: 'total-diff.png' },
    { names: ['total-actual.png', 'screenshot', 'total-expected.png'], shown: 'screenshot' },
    { names: ['total-actual.png', 'total-expected.png'], shown: 'total-actual.png' },
    { names: ['total-expected.png'], shown: 'none' },
    { names: ['total-diff.webp', 'total-expected.webp', 'total-actual.webp'], shown: 'total-diff.webp' },
  ])(
    'The pages of a run and of its pull request show how a snapshot differs, or else the screenshot or the actual image, but never the expected one (files: $names, shown: $shown)',
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
    expect((await open(runId)).text).toContain(
      'Probably repaired: the new failure passed again in the next run on main. 1 failure',
    );
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

describe('The link of a line of code', () => {
  const remoteOrigin = 'git@github.com:acme/shop.git';
  const sha = 'cc9425b0123456789abcdef0123456789abcdef0';

  test.each([
    ['tests/cart.spec.ts', 'tests/cart.spec.ts'],
    ['/home/runner/work/shop/shop/tests/a b.ts', 'tests/a%20b.ts'],
    ['D:\\a\\_work\\shop\\shop\\cart.ts', 'cart.ts'],
    ['/builds/acme/shop/cart.ts', 'cart.ts'],
    ['tests/#1?.ts', 'tests/%231%3F.ts'],
  ])('of the file %s leads to %s in the repository', (file, path) => {
    expect(buildLineUrl({ remoteOrigin, sha }, { file, line: 6 })).toBe(
      `https://github.com/acme/shop/blob/${sha}/${path}#L6`,
    );
  });

  test.each([
    '/project/tests/cart.spec.ts',
    '../../evil/cart.ts',
    'C:\\shop\\cart.ts',
    'https://evil.example/cart.ts',
    'node_modules/vitest/dist/index.js',
    '',
  ])('does not exist for the file %s, whose place in the repository is not known', (file) => {
    expect(buildLineUrl({ remoteOrigin, sha }, { file, line: 6 })).toBeUndefined();
  });

  test('exists at GitLab and Bitbucket, as that of a pull request does, and nowhere else', () => {
    const at = (host: string) => [
      buildLineUrl({ remoteOrigin: `https://${host}/acme/shop`, sha }, { file: 'a.ts', line: 1 }),
      buildPullRequestUrl({ remoteOrigin: `https://${host}/acme/shop` }, '7'),
    ];
    expect(at('gitlab.com')).toEqual([
      `https://gitlab.com/acme/shop/-/blob/${sha}/a.ts#L1`,
      'https://gitlab.com/acme/shop/-/merge_requests/7',
    ]);
    expect(at('bitbucket.org')).toEqual([
      `https://bitbucket.org/acme/shop/src/${sha}/a.ts#lines-1`,
      'https://bitbucket.org/acme/shop/pull-requests/7',
    ]);
    expect(at('git.example')).toEqual([undefined, undefined]);
    expect(buildPullRequestUrl({ remoteOrigin: 'https://github.com/acme/shop' }, '7/../../evil')).toBeUndefined();
  });
});

describe('The link of a CI job', () => {
  test.each([
    ['https://github.com/acme/shop/actions/runs/9/attempts/1', 'GitHub Actions'],
    ['https://gitlab.com/acme/shop/-/jobs/77', 'GitLab CI #77'],
    ['https://buildkite.com/acme/shop/builds/12#0190', 'Buildkite #12'],
    ['https://circleci.com/gh/acme/shop/5', 'CircleCI #5'],
    ['https://dev.azure.com/acme/shop/_build/results?buildId=8&view=logs&j=1', 'Azure Pipelines #8'],
    ['https://bitbucket.org/acme/shop/pipelines/results/3', 'Bitbucket Pipelines #3'],
    ['http://jenkins.acme.example/job/shop/4/', 'CI job at jenkins.acme.example #4'],
    ['https://github.com.evil.example/acme', 'CI job at github.com.evil.example'],
  ])('to %s is called %s', (address, name) => {
    expect(nameCiPage(address)).toBe(name);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,<script>',
    '//evil.example',
    'https://github.com@evil.example/',
    'https://github.com\\@evil.example/',
    'https://a b.example/',
    'ftp://ci.example/1',
    `https://ci.example/${'a'.repeat(600)}`,
  ])('is left out for the address %s', (address) => {
    expect(findWebAddress(address)).toBeUndefined();
    attack('markup');
  });

  test('is on the pages of the run and of the failure, in the same words, with the pull request and the commit', async () => {
    const { here, open } = await stage();
    const guest = await signedIn(here, 'guest');
    const page = 'https://github.com/acme/shop/actions/runs/9/attempts/2';
    const commit = { ...COMMIT, branch: 'feature', remoteOrigin: 'https://github.com/acme/shop' };
    const { runId } = await uploadRun(
      here,
      { [SUMS]: failingWith(MISMATCH) },
      {
        commit: { ...commit, ghaEventData: { htmlUrl: 'https://github.com/acme/shop/pull/7' } },
        ci: { params: { githubRunId: '9', githubRunAttempt: '2', githubRepository: 'acme/shop' } },
      },
    );
    const run = await open(runId);
    const failure = await guest.get(run.links.find((link) => link.includes('/test?')) ?? '');
    for (const shown of [run, failure]) {
      expect(shown.links).toEqual(
        expect.arrayContaining([
          page,
          'https://github.com/acme/shop/pull/7',
          `https://github.com/acme/shop/commit/${COMMIT.sha}`,
        ]),
      );
      expect(shown.text).toContain('GitHub Actions');
    }
  });
});
