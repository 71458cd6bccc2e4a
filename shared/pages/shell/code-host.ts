/**
 * The pages of commits, pull requests and lines of code at the host of a repository. Reporters may send any text as the
 * repository, so each address is built from its parts, and only for these hosts.
 */
import type { Commit } from '#shared/model/runs/commit.ts';

interface HostPages {
  readonly commit: string;
  readonly pull: string;
  readonly compare: string;
  readonly blob: string;
  readonly line: string;
}

const HOSTS: Readonly<Record<string, HostPages>> = {
  'github.com': { commit: '/commit/', pull: '/pull/', compare: '/compare/', blob: '/blob/', line: '#L' },
  'gitlab.com': {
    commit: '/-/commit/',
    pull: '/-/merge_requests/',
    compare: '/-/compare/',
    blob: '/-/blob/',
    line: '#L',
  },
  'bitbucket.org': {
    commit: '/commits/',
    pull: '/pull-requests/',
    compare: '/branches/compare/',
    blob: '/src/',
    line: '#lines-',
  },
};
const REPOSITORY = /^(?:https:\/\/|ssh:\/\/)?(?:[\w.-]{1,64}@)?([\w.-]{1,64})[:/]([\w./-]{1,256})$/;
const SHA = /^[0-9a-f]{7,64}$/;
const NUMBER = /^\d{1,12}$/;

interface Repository {
  readonly url: string;
  /** Such as `acme/shop`. */
  readonly path: string;
  readonly pages: HostPages;
}

function parseRepository(remoteOrigin: string | null): Repository | undefined {
  const [, host = '', sentPath = ''] = REPOSITORY.exec(remoteOrigin ?? '') ?? [];
  const pages = Object.hasOwn(HOSTS, host) ? HOSTS[host] : undefined;
  const path = sentPath.replace(/\.git$/, '').replaceAll(/^\/|\/$/g, '');
  return pages && { url: `https://${host}/${path}`, path, pages };
}

type OfRepository = Pick<Commit, 'remoteOrigin'>;
type OfCommit = Pick<Commit, 'remoteOrigin' | 'sha'>;

export function buildCommitUrl({ remoteOrigin, sha }: OfCommit): string | undefined {
  const repository = parseRepository(remoteOrigin);
  return repository && sha !== null && SHA.test(sha) ? repository.url + repository.pages.commit + sha : undefined;
}

export function buildPullRequestUrl({ remoteOrigin }: OfRepository, id: string): string | undefined {
  const repository = parseRepository(remoteOrigin);
  return repository && NUMBER.test(id) ? repository.url + repository.pages.pull + id : undefined;
}

/** What changed between two commits. Bitbucket names the newer one first. */
export function buildCompareUrl(
  { remoteOrigin }: OfRepository,
  from: string | null,
  to: string | null,
): string | undefined {
  const repository = parseRepository(remoteOrigin);
  if (!repository || from === null || to === null || !SHA.test(from) || !SHA.test(to) || from === to) return undefined;
  const range = repository.url.startsWith('https://bitbucket.org/') ? `${to}..${from}` : `${from}...${to}`;
  return repository.url + repository.pages.compare + range;
}

interface Line {
  readonly file: string;
  readonly line: number;
}

/** `undefined` if it is not known where the file is in the repository. */
export function buildLineUrl({ remoteOrigin, sha }: OfCommit, { file, line }: Line): string | undefined {
  const repository = parseRepository(remoteOrigin);
  const path = repository && findPathInRepository(repository, file);
  if (!repository || path === undefined || sha === null || !SHA.test(sha)) return undefined;
  const segments = path.split('/').map(encodeURIComponent).join('/');
  return `${repository.url}${repository.pages.blob}${sha}/${segments}${repository.pages.line}${line}`;
}

/**
 * Our reporters send paths within the repository. The published reporter sends those of the machine, of which the
 * checkouts of GitHub Actions and GitLab CI are known: `/home/runner/work/shop/shop/` and `/builds/acme/shop/`.
 */
function findPathInRepository({ path }: Repository, sentFile: string): string | undefined {
  const file = sentFile.replaceAll('\\', '/');
  const name = path.split('/').at(-1) ?? '';
  const checkouts = [`/work/${name}/${name}/`, `/_work/${name}/${name}/`, `/builds/${path}/`];
  const checkout = checkouts.find((folder) => file.includes(folder));
  const place = checkout === undefined ? file : file.slice(file.indexOf(checkout) + checkout.length);
  const isInside = place !== '' && !/^(?:\/|[A-Za-z]:|\w+:\/\/)/.test(place) && !place.split('/').includes('..');
  return isInside && !place.split('/').includes('node_modules') ? place : undefined;
}

/** What people call the CI system of this page. Other systems are called by their host, so that nobody is misled. */
export function nameCiPage(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address);
  const number = (pattern: RegExp) => {
    const [, digits] = pattern.exec(pathname) ?? [];
    return digits === undefined ? '' : ` #${digits}`;
  };
  if (hostname === 'github.com') return 'GitHub Actions';
  if (hostname === 'gitlab.com') return `GitLab CI${number(/\/-\/jobs\/(\d{1,15})$/)}`;
  if (hostname === 'buildkite.com') return `Buildkite${number(/\/builds\/(\d{1,15})$/)}`;
  if (hostname === 'circleci.com' || hostname === 'app.circleci.com') return `CircleCI${number(/\/(\d{1,15})$/)}`;
  if (hostname === 'dev.azure.com') return `Azure Pipelines #${searchParams.get('buildId') ?? ''}`;
  if (hostname === 'bitbucket.org') return `Bitbucket Pipelines${number(/\/results\/(\d{1,15})$/)}`;
  return `CI job at ${hostname}${number(/\/(\d{1,15})\/?$/)}`;
}
