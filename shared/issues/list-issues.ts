/** §5.2 The issues that are linked to the tests of a project. */
import { notFound } from '#shared/engine/errors.ts';
import { projects } from '#shared/model/organizations/project.ts';
import {
  type IssueState,
  issuesOfProject,
  issuesOfTest,
  type KnownIssue,
  knownIssues,
} from '#shared/model/tests/known-issue.ts';
import type { CoreServices } from '#shared/services.ts';

type Reading = Pick<CoreServices, 'table'>;
type OfProject = Pick<KnownIssue, 'organizationId' | 'projectId'>;

interface Wanted extends OfProject {
  readonly signature?: string | undefined;
  readonly states?: readonly IssueState[] | undefined;
}

/** Newest first. Throws 404 for an unknown project. */
export async function listIssues({ table }: Reading, { signature, states, ...project }: Wanted): Promise<KnownIssue[]> {
  const span = signature === undefined ? issuesOfProject(project) : issuesOfTest({ ...project, signature });
  const [known, all] = await Promise.all([table.get(projects, project), table.queryAll(knownIssues, span)]);
  if (!known) throw notFound('Project');
  return all
    .filter(({ state }) => states?.includes(state) ?? true)
    .toSorted((one, other) => other.createdAt - one.createdAt);
}

/** The issues of one test: those that are not done first, then the newest. Costs half a read unit. */
export const issuesOf = async (
  { table }: Reading,
  test: OfProject & { readonly signature: string },
): Promise<readonly KnownIssue[]> => inOrder(await table.queryAll(knownIssues, issuesOfTest(test)));

type Lookup = (by: { readonly signature?: string; readonly fingerprint?: string }) => readonly KnownIssue[];

/**
 * Reads all issues of a project once, for pages and answers that show many tests or errors. Most projects have few, so
 * this costs about half a read unit.
 */
export async function knownIssuesOf({ table }: Reading, project: OfProject): Promise<Lookup> {
  const all = inOrder(await table.queryAll(knownIssues, issuesOfProject(project)));
  return ({ signature, fingerprint }) =>
    all.filter((one) => (signature === undefined ? one.fingerprint === fingerprint : one.signature === signature));
}

const inOrder = (all: readonly KnownIssue[]): KnownIssue[] =>
  all.toSorted(
    (one, other) => Number(one.state === 'done') - Number(other.state === 'done') || other.createdAt - one.createdAt,
  );
