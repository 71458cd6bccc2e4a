/** All attempts of a CI job get the same cache name, so that a rerun finds the files of earlier attempts. */
import { invalidRequest, refuse } from '#shared/engine/errors.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { CacheBody } from './cache-wire.ts';

interface CacheName {
  /** The name that people see. */
  readonly cacheId: string;
  /** Digest of the name, for use in keys. Each job of a matrix has its own digest. */
  readonly cache: string;
}

const CACHE_CHARACTERS = 32;
const ID_CHARACTERS = 16;

/** Per CI system, the variables (in camelCase) that keep their values in a rerun. The first one is required. */
const STABLE: Readonly<Record<string, readonly [string, ...string[]]>> = {
  githubActions: ['githubRunId', 'githubRepository', 'githubWorkflow', 'githubJob'],
  gitlab: ['ciPipelineId', 'ciProjectId', 'ciJobName', 'ciNodeIndex'],
  circle: ['circleWorkflowWorkspaceId', 'circleProjectReponame', 'circleNodeIndex'],
};

export function deriveCacheName(body: CacheBody): CacheName {
  const cacheId = body.id ?? deriveJobId(body.ci) ?? refuse(invalidRequest(UNKNOWN_JOB));
  const { matrixIndex, matrixTotal } = body.config ?? {};
  const job = [matrixIndex ?? 1, matrixTotal ?? 1].map(String);
  return { cacheId, cache: computeDigest(CACHE_CHARACTERS, cacheId, ...job) };
}

function deriveJobId(ci: CacheBody['ci']): string | undefined {
  const names = STABLE[ci?.provider ?? ''];
  const values = names?.map((name) => {
    const value = ci?.params?.[name];
    return typeof value === 'string' ? value : '';
  });
  return names && values?.[0] ? `${ci?.provider}-${computeDigest(ID_CHARACTERS, ...values)}` : undefined;
}

const UNKNOWN_JOB =
  'The CI system is unknown, so the cache has no default name. Send `id`, or run the command in GitHub Actions, GitLab CI or CircleCI';
