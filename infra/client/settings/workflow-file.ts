/**
 * Proves that a job of GitHub Actions has no matrix, by the workflow file of its commit. No variable tells it. The file is
 * read in lines: whatever is not written in the usual way counts as a matrix.
 */
import { spawnSync } from 'node:child_process';

const LONGEST_FILE = 512 * 1024;

/** `acme/shop/.github/workflows/tests.yml@refs/heads/main` */
const FILE = /^[^/@]+\/[^/@]+\/(\.github\/workflows\/[^/@]+)@/;
const COMMIT = /^[0-9a-f]{40,64}$/;

export function isJobWithoutMatrix(env: Readonly<Record<string, string | undefined>>): boolean {
  const { GITHUB_JOB: job = '', GITHUB_WORKFLOW_REF: ref = '', GITHUB_WORKFLOW_SHA: commit = '' } = env;
  const path = FILE.exec(ref)?.[1];
  if (path === undefined || !COMMIT.test(commit)) return false;
  const { status, stdout } = spawnSync('git', ['-c', 'safe.directory=*', 'show', `${commit}:${path}`], {
    cwd: env['GITHUB_WORKSPACE'] || process.cwd(),
    encoding: 'utf8',
    maxBuffer: LONGEST_FILE,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 && hasNoMatrix(stdout, job);
}

const getIndent = (line: string): number => line.length - line.trimStart().length;
const isOfNothing = (line: string): boolean => line.trim() === '' || line.trimStart().startsWith('#');

function hasNoMatrix(workflow: string, job: string): boolean {
  if (!/^\w[\w-]*$/.test(job)) return false;
  const lines = workflow.split(/\r?\n/).filter((line) => !isOfNothing(line));
  const begin = lines.findIndex((line) => /^jobs:\s*(?:#.*)?$/.test(line));
  if (begin < 0) return false;
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex((line) => getIndent(line) === 0);
  const jobs = end < 0 ? rest : rest.slice(0, end);
  // The jobs of a called workflow may have the same names as those of the caller, which may have a matrix.
  if (jobs.some((line) => line.includes('.github/workflows/') || /^\s*uses:\s*\*/.test(line))) return false;
  const indent = getIndent(jobs[0] ?? '');
  const heads = jobs.flatMap((line, index) => (getIndent(line) <= indent ? [index] : []));
  const head = heads.find((index) => `${jobs[index]?.trim()} #`.startsWith(`${job}: #`));
  if (head === undefined || getIndent(jobs[head] ?? '') !== indent) return false;
  const body = jobs.slice(head + 1, heads.find((index) => index > head) ?? jobs.length);
  const [first = '*'] = body;
  return !/^\s*[*&!{]/.test(first) && !body.some((line) => MATRIX.test(line));
}

/** Also a key whose value is merged from elsewhere. */
const MATRIX = /strategy|matrix|^\s*["']?<<["']?\s*:/;
