/** What the identity tokens of CI systems say about a job. Each has claims of its own. */
import { findBuildId } from '#shared/model/runs/ci-job.ts';
import type { CiBuild, CiProvider, Origin } from '#shared/model/runs/origin.ts';
import { GithubClaims, GitlabClaims } from './claims-wire.ts';

export interface CiIdentity {
  readonly repository: string;
  readonly repositoryId: string;
  readonly ownerId: string;
  /** Absent for tags and pull requests: nobody with access to the branch has accepted what they test. */
  readonly branch: string | undefined;
  readonly environment: string | undefined;
  readonly build: Omit<CiBuild, 'projectId' | 'origin'> & { readonly origin: Omit<Origin, 'trustId' | 'issuer'> };
}

/**
 * The events whose builds test the commit of the token. `workflow_run` and `pull_request_target` run on the default
 * branch, although they usually test a pull request, so they prove the repository and nothing about the commit.
 */
const EVENTS_OF_COMMIT = new Set(['push', 'merge_group', 'schedule', 'workflow_dispatch', 'release', 'create']);
const BRANCH = /^refs\/heads\/(.+)$/;
const PULL_REQUEST = /^refs\/(?:pull|merge-requests)\/(\d{1,12})\/(merge|head|train)$/;

const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com';
const GITHUB_ENTERPRISE = /^(https?:\/\/.+)\/_services\/token$/;

/** Enterprise Server has its issuer below its own address. The issuers of GitHub's cloud belong to github.com. */
const findGithubAddress = (issuer: string): string => GITHUB_ENTERPRISE.exec(issuer)?.[1] ?? 'https://github.com';

function readGithub(payload: unknown, issuer: string): CiIdentity | undefined {
  const { data } = GithubClaims.safeParse(payload);
  if (!data) return undefined;
  const { repository, ref, event_name: event, run_id: runId, run_attempt: attempt } = data;
  const ciBuildId = findBuildId({ githubRepository: repository, githubRunId: runId, githubRunAttempt: attempt });
  if (ciBuildId === undefined) return undefined;
  const isOfPullRequest = event === 'pull_request';
  const provesCommit = EVENTS_OF_COMMIT.has(event);
  const pushedBranch = provesCommit ? BRANCH.exec(ref)?.[1] : undefined;
  const branch = isOfPullRequest ? data.head_ref || undefined : pushedBranch;
  const pullRequest = isOfPullRequest ? PULL_REQUEST.exec(ref)?.[1] : undefined;
  return {
    repository,
    repositoryId: data.repository_id,
    ownerId: data.repository_owner_id,
    branch: pushedBranch,
    environment: data.environment,
    build: {
      ciBuildId,
      job: { build: runId, attempt: Number(attempt) },
      remoteOrigin: `${findGithubAddress(issuer)}/${repository}`,
      ...(branch !== undefined && { branch }),
      ...(pullRequest !== undefined && { pullRequest }),
      ...(provesCommit && { sha: data.sha }),
      origin: {
        provider: 'github',
        repository,
        repositoryId: data.repository_id,
        event,
        ref,
        sha: data.sha,
        provesCommit,
        ...(data.actor !== undefined && { person: data.actor }),
        ...(data.job_workflow_ref !== undefined && { workflow: data.job_workflow_ref }),
      },
    },
  };
}

function readGitlab(payload: unknown, issuer: string): CiIdentity | undefined {
  const { data } = GitlabClaims.safeParse(payload);
  if (!data) return undefined;
  const { project_path: repository, project_id: repositoryId, pipeline_id: pipelineId, ref } = data;
  const path = data.ref_path ?? (data.ref_type === 'branch' ? `refs/heads/${ref}` : ref);
  const [, pullRequest, kind] = PULL_REQUEST.exec(path) ?? [];
  const isOfPullRequest = data.pipeline_source === 'merge_request_event' || pullRequest !== undefined;
  const pushedBranch = isOfPullRequest ? undefined : BRANCH.exec(path)?.[1];
  const branch = isOfPullRequest && data.ref_type === 'branch' && !ref.startsWith('refs/') ? ref : pushedBranch;
  // A pipeline of merged results runs on a temporary commit.
  const provesCommit = !isOfPullRequest || kind === 'head';
  return {
    repository,
    repositoryId,
    ownerId: data.namespace_id,
    branch: pushedBranch,
    environment: data.environment,
    build: {
      ciBuildId: pipelineId,
      job: { id: data.job_id },
      remoteOrigin: `${issuer}/${repository}`,
      ...(branch !== undefined && { branch }),
      ...(pullRequest !== undefined && { pullRequest }),
      ...(provesCommit && { sha: data.sha }),
      origin: {
        provider: 'gitlab',
        repository,
        repositoryId,
        event: data.pipeline_source,
        ref: path,
        sha: data.sha,
        provesCommit,
        ...(data.user_login !== undefined && { person: data.user_login }),
        ...(data.ci_config_ref_uri !== undefined && { workflow: data.ci_config_ref_uri }),
      },
    },
  };
}

interface ProviderOfIdentities {
  readonly name: string;
  /** The issuer of the cloud service, for which nobody has to enter one. */
  readonly issuer: string;
  /** Returns `undefined` for claims that no job of this CI system has. */
  readonly read: (payload: unknown, issuer: string) => CiIdentity | undefined;
}

export const CI_PROVIDERS: Readonly<Record<CiProvider, ProviderOfIdentities>> = {
  github: { name: 'GitHub Actions', issuer: GITHUB_ISSUER, read: readGithub },
  gitlab: { name: 'GitLab CI', issuer: 'https://gitlab.com', read: readGitlab },
};
