/** Describes the run of an import as a reporter's request would. The query has priority over the file. */
import { type Commit, SentCommit } from '#shared/model/runs/commit.ts';
import type { ImportOptions } from '#shared/model/runs/import.ts';
import { type Framework, PLAYWRIGHT, type Run } from '#shared/model/runs/run.ts';
import type { CreateRunBody, SuiteGroup } from '#shared/recording/run-wire.ts';
import { DEFAULT_GROUP, type ImportPlan } from './plan-import.ts';

export interface Described {
  readonly projectId: string;
  readonly options: ImportOptions;
  readonly plan: ImportPlan;
  readonly ciBuildId: string;
}

const NO_PLATFORM = { osName: null, osVersion: null, browserName: null, browserVersion: null };

export function runBodyOf({ projectId, options, plan, ciBuildId }: Described): CreateRunBody {
  const fullTestSuite = suiteOf(plan, options);
  return {
    projectId,
    ciBuildId,
    group: fullTestSuite[0].name,
    machineId: options.machineId ?? null,
    platform: NO_PLATFORM,
    browser: null,
    commit: commitOf(plan, options),
    ci: { params: githubOf(options), ciBuildId: null },
    config: null,
    tags: [...(options.tags ?? [])],
    fullTestSuite,
  };
}

/** The suite of an import. A report without tests starts the group that the query names. */
function suiteOf({ instances }: ImportPlan, { group = DEFAULT_GROUP, environment }: ImportOptions): Suite {
  const named = (name: string, tests: SuiteGroup['tests'] = []): SuiteGroup => ({
    name,
    tags: [],
    environment: environment ?? null,
    tests,
  });
  const groups = [...Map.groupBy(instances, ({ groupId }) => groupId)].map(([name, own]) =>
    named(
      name,
      own.flatMap(({ spec, tests }) => tests.map(({ testId }) => ({ testId, spec }))),
    ),
  );
  const [first = named(group), ...others] = groups;
  return [first, ...others];
}
type Suite = [SuiteGroup, ...SuiteGroup[]];

function commitOf(
  { parsed }: ImportPlan,
  { branch, sha, message, author, authorEmail, repository }: ImportOptions,
): Commit {
  const inFiles = Object.assign({}, ...parsed.map(({ commit }) => commit).reverse());
  const said = { branch, sha, message, authorName: author, authorEmail, remoteOrigin: repository };
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  return SentCommit.parse({ ...inFiles, ...Object.fromEntries(given) });
}

const githubOf = ({ githubRunId, githubRunAttempt }: ImportOptions) =>
  githubRunId === undefined ? null : { githubRunId, ...(githubRunAttempt === undefined ? {} : { githubRunAttempt }) };

export const pullRequestOf = ({ pullRequest, pullRequestTitle }: ImportOptions): Pick<Run, 'pullRequest'> =>
  pullRequest === undefined ? {} : { pullRequest: { id: pullRequest, title: pullRequestTitle ?? null } };

export const frameworkOf = ({ parsed }: ImportPlan): Framework => {
  const { type = 'unknown', version = null } = parsed[0]?.framework ?? {};
  return { type: type === 'playwright' ? PLAYWRIGHT : type, version, clientVersion: null };
};
