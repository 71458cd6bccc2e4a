/** The steps of `npm run release`, in a small repository. What they record and write is replaced by small files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Advisory, AdvisoryReport } from '#infra/release/advisories.ts';
import { CannotRelease, getReleaseFolder, type Release, release } from '#infra/release/release.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

const TODAY = '2026-12-01';
const MANIFESTS = ['', 'infra/client/package/', 'infra/package/package/'].map((folder) => `${folder}package.json`);
const MANIFEST = '{"version":"1.2.0"}\n';
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...MANIFESTS, 'package-lock.json'].map((file) => [file, MANIFEST])),
  'CHANGELOG.md': `# Changelog\n\n## 1.2.0 (${TODAY})\n\n- It is faster.\n\n## 1.1.0 (2026-11-01)\n\n- It exists.\n`,
  '.gitignore': 'cdk.out/\n',
};
const CLIENT = 'infra/client/released/rundown-cli-1.2.0.tgz';
const INTERFACES = 'test/samples/releases/1.2.0/interfaces.json';
const ROUTES = 'infra/build/released-routes/1.2.0.json';
const TESTED = 'It was deployed.';

async function repository(changed: Readonly<Record<string, string>> = {}) {
  const project = await temporaryFolder();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), text);
  };
  git('init', '--quiet');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  for (const [file, text] of Object.entries({ ...FILES, ...changed })) await write(file, text);
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  const calls = { record: 0, testDeployment: [] as string[], writeFiles: [] as string[] };
  const said: string[] = [];
  const make = (changed: Partial<Release> = {}) =>
    release({
      project,
      today: TODAY,
      dryRun: false,
      say: (line) => said.push(line),
      findAdvisories: async () => NO_ADVISORIES,
      acceptance: undefined,
      signs: false,
      record: async () => {
        calls.record += 1;
        await write(CLIENT, 'client');
        await write(INTERFACES, '{}');
        await write(ROUTES, '{}');
      },
      testDeployment: () => {
        calls.testDeployment.push(git('log', '-1', '--format=%s'));
        return TESTED;
      },
      writeFiles: async (folder, commit) => {
        calls.writeFiles.push(commit);
        await writeFile(join(folder, 'sbom.cdx.json'), '{}');
        await writeFile(join(folder, 'rundown-cli-1.2.0.tgz'), 'client');
      },
      ...changed,
    });
  /** What a release changes: commits, tags, files that are not committed, and the folder of files. */
  const state = () => ({
    commits: git('log', '--format=%s').split('\n'),
    tags: git('tag', '--list'),
    changed: git('status', '--porcelain'),
    files: existsSync(getReleaseFolder(project, '1.2.0')),
  });
  return { project, git, write, make, state, said, calls };
}

const NO_ADVISORIES: AdvisoryReport = { kind: 'answered', packages: 2, advisories: [] };
const SEVERE: Advisory = {
  id: 'GHSA-1111-2222-3333',
  aliases: ['CVE-2026-0001'],
  severity: 'high',
  summary: 'A long text takes minutes',
  packages: ['pkg:npm/left@1.0.0'],
};

const UNTOUCHED = { commits: ['Begin'], tags: '', changed: '', files: false };

describe('A release', () => {
  test('records the client and the interfaces, commits them, writes the files with checksums, tags the commit, and prints the push command', async () => {
    const { project, git, make, state, said, calls } = await repository();
    await make();
    expect(state()).toEqual({ commits: ['Record release 1.2.0', 'Begin'], tags: 'v1.2.0', changed: '', files: true });
    expect(git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([ROUTES, CLIENT, INTERFACES]);
    expect(git('rev-parse', 'v1.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(calls.writeFiles).toEqual([git('rev-parse', '--short', 'HEAD')]);
    const folder = getReleaseFolder(project, '1.2.0');
    expect((await readdir(folder)).sort()).toEqual([
      'ADVISORIES.md',
      'SHA256SUMS',
      'release-notes.md',
      'rundown-cli-1.2.0.tgz',
      'sbom.cdx.json',
    ]);
    // The format of sha256sum, whose option --check reads it.
    const files = {
      'ADVISORIES.md': await readFile(join(folder, 'ADVISORIES.md'), 'utf8'),
      'release-notes.md': `1.2.0 (${TODAY})\n\n- It is faster.\n\n${TESTED}\n`,
      'rundown-cli-1.2.0.tgz': 'client',
      'sbom.cdx.json': '{}',
    };
    const lines = Object.entries(files).map(([name, text]) => {
      return `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
    });
    expect(await readFile(join(folder, 'SHA256SUMS'), 'utf8')).toBe(lines.join(''));
    expect(said.join('\n')).toContain('git push origin HEAD v1.2.0');
  });

  test('A dry run changes nothing, and lists the steps of the release', async () => {
    const { make, state, said } = await repository();
    await make({ dryRun: true });
    expect(state()).toEqual(UNTOUCHED);
    expect(said).toEqual([
      'OSV knows 0 advisories about 2 packages',
      expect.stringContaining('Record data'),
      'Test the deployment',
      expect.stringContaining('Write the files'),
      'Tag the commit as v1.2.0',
    ]);
  });

  test.each([
    ['The first section of CHANGELOG.md is "1.2.0 (not released)"'],
    ['The first section of CHANGELOG.md is "1.2.0 (2026-11-30)"'],
    ['The first section of CHANGELOG.md is "1.1.0 (2026-12-01)"'],
    ['The first section of CHANGELOG.md is ""'],
  ])(
    'is refused, and changes nothing, if the changelog does not begin with its version and today’s date: %s',
    async (message) => {
      const heading = /"(.*)"/.exec(message)?.[1] ?? '';
      const text = heading ? `# Changelog\n\n## ${heading}\n\n- It is faster.\n` : '# Changelog\n';
      const { make, state } = await repository({ 'CHANGELOG.md': text });
      await expect(make()).rejects.toThrow(new CannotRelease(`${message}: make it "1.2.0 (${TODAY})", and commit it`));
      expect(state()).toEqual(UNTOUCHED);
    },
  );

  test('is refused, and changes nothing, if the section of the changelog is empty', async () => {
    const text = `# Changelog\n\n## 1.2.0 (${TODAY})\n\n## 1.1.0 (2026-11-01)\n\n- It exists.\n`;
    const { make, state } = await repository({ 'CHANGELOG.md': text });
    await expect(make()).rejects.toThrow('is empty: say what is new');
    expect(state()).toEqual(UNTOUCHED);
  });

  test.each([...MANIFESTS, 'package-lock.json'])(
    'is refused, and changes nothing, if %s has another version',
    async (file) => {
      const { make, state } = await repository({ [file]: '{"version":"1.3.0"}' });
      await expect(make()).rejects.toThrow(`${file}: 1.3.0`);
      expect(state()).toEqual(UNTOUCHED);
    },
  );

  test('is refused if there are uncommitted or untracked files, and does not commit them', async () => {
    const { make, state, write } = await repository();
    await write('functions/new.ts', '');
    await write('package.json', `${MANIFEST}\n`);
    await expect(make()).rejects.toThrow(/These files are not committed.*\n.*package\.json\n.*functions/);
    expect(state()).toEqual({ ...UNTOUCHED, changed: 'M package.json\n?? functions/' });
  });

  test.each(['critical', 'high', 'unknown'] as const)(
    'is refused, and changes nothing, if a package has an advisory of severity %s and nobody said why it does no harm',
    async (severity) => {
      const { project, make, state } = await repository();
      const report = { ...NO_ADVISORIES, advisories: [{ ...SEVERE, severity }] };
      const options = { findAdvisories: async () => report };
      await expect(make(options)).rejects.toThrow(/GHSA-1111-2222-3333, CVE-2026-0001 .*\n.*--accept-advisories/);
      expect(state()).toEqual(UNTOUCHED);
      await make({ ...options, acceptance: 'Rundown never calls it with a text from outside.' });
      const text = await readFile(join(getReleaseFolder(project, '1.2.0'), 'ADVISORIES.md'), 'utf8');
      expect(text).toContain(`- GHSA-1111-2222-3333, CVE-2026-0001 (${severity}): A long text takes minutes.`);
      expect(text).toContain('Released nevertheless: Rundown never calls it with a text from outside.');
    },
  );

  test('lists advisories of lower severity, and says plainly if OSV could not be asked', async () => {
    const file = async (report: AdvisoryReport) => {
      const { project, make, said } = await repository();
      await make({ findAdvisories: async () => report });
      return [said[0], await readFile(join(getReleaseFolder(project, '1.2.0'), 'ADVISORIES.md'), 'utf8')];
    };
    const [said, text] = await file({ ...NO_ADVISORIES, advisories: [{ ...SEVERE, severity: 'moderate' }] });
    expect(said).toContain('GHSA-1111-2222-3333');
    expect(text).toContain('(moderate)');
    const [saidOffline, offline] = await file({ kind: 'not answered', packages: 2, reason: 'no route to host' });
    expect(saidOffline).toContain('could not be asked');
    expect(offline).toContain(
      'could not be asked on 2026-12-01 about the 2 packages of sbom.cdx.json: no route to host.',
    );
    expect(offline).toContain('does not know whether there are advisories');
  });

  test.skipIf(spawnSync('ssh-keygen', ['-l', '-f', '/dev/null']).error !== undefined)(
    'has a tag that is signed with the key of the Git configuration, if it is asked for',
    async () => {
      const { project, git, make } = await repository();
      const key = join(await temporaryFolder(), 'key');
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
      git('config', 'gpg.format', 'ssh');
      git('config', 'user.signingkey', key);
      const signers = `${key}.signers`;
      await writeFile(signers, `ada@example.com ${await readFile(`${key}.pub`, 'utf8')}`);
      git('config', 'gpg.ssh.allowedSignersFile', signers);
      await make({ signs: true });
      expect(() => execFileSync('git', ['verify-tag', 'v1.2.0'], { cwd: project, stdio: 'pipe' })).not.toThrow();
    },
  );

  test('is refused if its tag already exists at another commit', async () => {
    const { make, git, write } = await repository();
    git('tag', 'v1.2.0');
    await write('README.md', 'More');
    git('add', '.');
    git('commit', '--quiet', '--message', 'More');
    await expect(make()).rejects.toThrow('The tag v1.2.0 is at another commit');
  });

  test('The recorded commit is deployed on the emulator before its tag, and the tag and the release notes say so', async () => {
    const { project, git, make, calls } = await repository();
    await make();
    await make({ testDeployment: () => 'Something else.' });
    expect(calls.testDeployment).toEqual(['Record release 1.2.0']);
    expect(git('tag', '--list', '--format=%(contents)', 'v1.2.0')).toBe(`Release 1.2.0\n\n${TESTED}`);
    expect(await readFile(join(getReleaseFolder(project, '1.2.0'), 'release-notes.md'), 'utf8')).toContain(TESTED);
  });

  test('is neither tagged nor written if the test of the deployment fails', async () => {
    const { make, state, calls } = await repository();
    const fail = () => Promise.reject(new CannotRelease('The deployment test failed'));
    await expect(make({ testDeployment: fail })).rejects.toThrow('The deployment test failed');
    expect(state()).toMatchObject({ tags: '', files: false });
    expect(calls.writeFiles).toEqual([]);
  });

  test('removes the recorded routes of releases before the last one', async () => {
    const old = 'infra/build/released-routes/1.0.0.json';
    const { project, make, state } = await repository({ [old]: '{}' });
    const remove = async () => {
      await rm(join(project, old));
      await mkdir(join(project, 'test/samples/releases/1.2.0'), { recursive: true });
      for (const path of [CLIENT, INTERFACES, ROUTES]) {
        await mkdir(dirname(join(project, path)), { recursive: true });
        await writeFile(join(project, path), '');
      }
    };
    await make({ record: remove });
    expect(state()).toMatchObject({ changed: '', tags: 'v1.2.0' });
    expect(existsSync(join(project, old))).toBe(false);
  });

  test('An interrupted release continues with the same command, and makes only one recording, one commit and one tag', async () => {
    const { project, make, state, calls, write } = await repository();
    const stopped = () => Promise.reject(new Error('stopped'));
    const inRecording = async () => {
      await write(CLIENT, 'half');
      await stopped();
    };
    await expect(make({ record: inRecording })).rejects.toThrow('stopped');
    const inWriting = async (folder: string) => {
      await writeFile(join(folder, 'half'), '');
      await stopped();
    };
    await expect(make({ writeFiles: inWriting })).rejects.toThrow('stopped');
    expect(state()).toMatchObject({ tags: '', files: false });
    await make();
    await make({ today: '2026-12-02' });
    expect(state()).toEqual({ commits: ['Record release 1.2.0', 'Begin'], tags: 'v1.2.0', changed: '', files: true });
    expect(calls.record).toBe(1);
    expect(await readFile(join(project, CLIENT), 'utf8')).toBe('client');
    expect(await readdir(join(project, 'cdk.out'))).toEqual(['release-1.2.0']);
  });
});
