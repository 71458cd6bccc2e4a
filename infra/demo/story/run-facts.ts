/** The facts about a run that each of its machines sends: commit, build, browser and platform. */

import { drawHex } from './noise.ts';
import { PEOPLE, toDemoEmail } from './people.ts';
import { formatBuildId, type PlannedRun } from './plan.ts';

const ORIGINS = {
  shop: 'https://git.example.com/shop/web',
  warehouse: 'https://git.example.com/shop/warehouse',
  wholesale: 'https://git.example.com/shop/wholesale',
  accounting: 'https://git.example.com/shop/accounting',
  monorepo: 'https://git.example.com/shop/monorepo',
} as const;

export type DemoProject = keyof typeof ORIGINS;

export type FactsOfRun = Omit<PlannedRun, 'project' | 'ciBuildId' | 'createdAt' | 'groups'> & {
  readonly project: DemoProject;
};

const PLAYWRIGHT = { type: 'pw', version: '1.65.1', clientVersion: '2.5.0' } as const;
const VITEST = { type: 'vitest', version: '3.2.4', clientVersion: '1.10.0' } as const;
const FRAMEWORKS = {
  shop: PLAYWRIGHT,
  warehouse: VITEST,
  wholesale: PLAYWRIGHT,
  accounting: VITEST,
  monorepo: VITEST,
} as const;

/** The CI run ids of the story are larger than this number. */
const FIRST_GITHUB_RUN = 9_100_200_000;

export type RunFacts = ReturnType<typeof buildRunFacts>;

export const buildRunFacts = (run: FactsOfRun) => ({
  ciBuildId: formatBuildId(run),
  tags: listTags(run),
  commit: buildCommit(run),
  ci: {
    provider: 'githubActions',
    params: {
      githubRunId: String(FIRST_GITHUB_RUN + run.number * 37),
      githubRunAttempt: String(run.attempt),
      githubJob: 'test',
    },
    ciBuildId: { source: 'user', value: formatBuildId(run) },
  },
  framework: FRAMEWORKS[run.project],
});

/** Runs of a released version have a tag with that version. */
function listTags({ branch, pullRequest, day, project }: FactsOfRun): string[] {
  if (branch.startsWith('release/')) return ['release', ...(day > 2 ? [] : ['release:2.4.1'])];
  if (pullRequest) return ['pull-request'];
  return ['main', ...(project === 'shop' && day === 9 ? ['release:2.4.0'] : [])];
}

function buildCommit({ project, branch, sha, author, message, pullRequest }: FactsOfRun) {
  return {
    sha,
    branch,
    authorName: PEOPLE[author],
    authorEmail: toDemoEmail(author),
    message,
    remoteOrigin: `${ORIGINS[project]}.git`,
    defaultBranch: 'main',
    ghaEventData: pullRequest
      ? {
          headRef: branch,
          headSha: sha,
          baseRef: 'main',
          baseSha: drawHex(40, 'base', branch),
          issueUrl: `${ORIGINS[project]}/issues/${pullRequest.id}`,
          htmlUrl: `${ORIGINS[project]}/pull/${pullRequest.id}`,
          prTitle: pullRequest.title,
          senderAvatarUrl: null,
          senderHtmlUrl: null,
        }
      : null,
  };
}

const BROWSERS: Readonly<Record<string, { readonly name: string; readonly version: string }>> = {
  chromium: { name: 'chromium', version: '156.0.7710.20' },
  firefox: { name: 'firefox', version: '148.0' },
};

export const getStoryPlatform = (group: string) => ({
  platform: { osName: 'linux', osVersion: 'Debian - 13', browserName: null, browserVersion: null },
  browser: BROWSERS[group] ?? null,
});
