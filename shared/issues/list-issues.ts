/** §5.2 The issues that are linked to the tests of a project. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import {
  getProjectIssuesSpan,
  getTestIssuesSpan,
  type IssueState,
  type KnownIssue,
  knownIssues,
} from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';

interface IssueQuery extends ProjectKey {
  readonly signature?: string | undefined;
  readonly states?: readonly IssueState[] | undefined;
}

/** Newest first. Throws 404 for an unknown project. */
export async function listIssues(
  services: WithTable,
  { signature, states, ...project }: IssueQuery,
): Promise<KnownIssue[]> {
  const span = signature === undefined ? getProjectIssuesSpan(project) : getTestIssuesSpan({ ...project, signature });
  const [all] = await Promise.all([services.table.queryAll(knownIssues, span), findProject(services, project)]);
  return all
    .filter(({ state }) => states?.includes(state) ?? true)
    .toSorted((one, other) => other.createdAt - one.createdAt);
}
