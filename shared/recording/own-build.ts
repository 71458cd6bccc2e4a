/**
 * §5.1 A credential of a CI build records only this build, and what its identity token proves replaces what the client
 * says.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { isBuildId } from '#shared/model/runs/build-tries.ts';
import type { CiJob } from '#shared/model/runs/ci-job.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import type { Import } from '#shared/model/runs/import.ts';
import { type CiBuild, isSameOrigin, type Origin } from '#shared/model/runs/origin.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { anotherBuild } from './errors.ts';

interface OfOrganization {
  readonly organizationId: string;
}

interface ProjectRequest {
  readonly path: { readonly projectId: string };
}

export function requireOwnProject(build: CiBuild, { path }: ProjectRequest): void {
  if (path.projectId !== build.projectId) throw anotherBuild();
}

/** For requests whose body may name a build. */
export function requireOwnBuild(
  build: CiBuild,
  request: ProjectRequest & { readonly body: { readonly ciBuildId?: string | null | undefined } },
): void {
  requireOwnProject(build, request);
  requireOwnBuildId(build, request.body.ciBuildId);
}

/** For requests whose query may name a build. */
export function requireOwnBuildInQuery(
  build: CiBuild,
  request: ProjectRequest & { readonly query: { readonly ciBuildId?: string | undefined } },
): void {
  requireOwnProject(build, request);
  requireOwnBuildId(build, request.query.ciBuildId);
}

function requireOwnBuildId(build: CiBuild, ciBuildId: string | null | undefined): void {
  if (ciBuildId && ciBuildId !== build.ciBuildId) throw anotherBuild();
}

export const requireOwnRun = (
  build: CiBuild,
  { actor, path }: { readonly actor: OfOrganization; readonly path: { readonly runId: string } },
  services: WithTable,
): Promise<void> => checkRun(services, build, { ...path, ...actor });

interface ContextRequest {
  readonly actor: OfOrganization;
  readonly query: { readonly run_id?: string | undefined; readonly instance_id?: string | undefined };
}

/** Only of the whole run: the commands of our client print its failures. */
export async function requireOwnRunInQuery(
  build: CiBuild,
  { actor, query }: ContextRequest,
  services: WithTable,
): Promise<void> {
  if (query.run_id === undefined || query.instance_id !== undefined) throw anotherBuild();
  await checkRun(services, build, { ...actor, runId: query.run_id });
}

/** An unknown run gets the same answer as that of another build. */
async function checkRun(
  { table }: WithTable,
  build: CiBuild,
  { organizationId, runId }: Pick<Run, 'organizationId' | 'runId'>,
): Promise<void> {
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (!run || run.projectId !== build.projectId || !isBuildId(run.ciBuildId, build.ciBuildId)) throw anotherBuild();
  if (run.origin && !isSameOrigin(run.origin, build.origin)) throw anotherBuild();
}

export function requireOwnImport(build: CiBuild, { projectId, options }: Import): void {
  const { ciBuildId = '' } = options;
  if (projectId !== build.projectId || !isBuildId(ciBuildId, build.ciBuildId)) throw anotherBuild();
}

/** The name of the job is the only thing that no token proves. */
export const bindJob = (job: CiJob | null | undefined, build: CiBuild) => ({
  name: job?.name,
  url: job?.url,
  attempt: build.job.attempt,
  id: build.job.id,
  build: build.job.build,
});

/** For requests about the tries of a build. */
export const bindTry = <Body extends { readonly ciBuildId: string; readonly job?: CiJob | null | undefined }>(
  body: Body,
  build: CiBuild | undefined,
): Body => (build ? { ...body, ciBuildId: build.ciBuildId, job: bindJob(body.job, build) } : body);

/** Of a pull request, the token proves only a temporary merge commit, so its head stays as the client says. */
export const bindCommit = ({ branch, sha, remoteOrigin }: CiBuild, commit: Commit): Commit => ({
  ...commit,
  branch: branch ?? commit.branch,
  sha: sha ?? commit.sha,
  remoteOrigin,
  // It names commits, too.
  ghaEventData: sha === undefined ? commit.ghaEventData : null,
});

/**
 * Called before results are stored. A run whose results come from somewhere else, too, does not show an origin any more.
 * Another repository cannot record in it.
 */
export async function noteOrigin({ table }: WithTable, run: Run, origin: Origin | undefined): Promise<void> {
  if (!run.origin || (origin && isSameOrigin(run.origin, origin))) return;
  if (origin) throw anotherBuild();
  if (run.hasOtherOrigins) return;
  await table.update(runs, run, { set: toAssignments({ hasOtherOrigins: true }) }, PRESENT);
}
