/** §5.2 The issues that are linked to a test or are about an error. They are shown next to the failure. */

import type { WithTable } from '#shared/engine/table/table.ts';
import {
  getProjectIssuesSpan,
  getTestIssuesSpan,
  type KnownIssue,
  knownIssues,
} from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { IssueMark } from './known-issue-wire.ts';

export const toIssueMark = ({ issueId, key, url, title, state, stateName }: KnownIssue): IssueMark => ({
  issueId,
  key,
  url,
  title,
  state,
  stateName,
});

/** The issues of one test: those that are not done, then those that are, each newest first. Costs half a read unit. */
export const listTestIssues = async (
  { table }: WithTable,
  test: ProjectKey & { readonly signature: string },
): Promise<readonly KnownIssue[]> => sortIssues(await table.queryAll(knownIssues, getTestIssuesSpan(test)));

export type IssueLookup = (by: { readonly signature?: string; readonly fingerprint?: string }) => readonly KnownIssue[];

/** Reads all issues of a project at once. Most projects have few, so this costs about half a read unit. */
export async function readKnownIssues({ table }: WithTable, project: ProjectKey): Promise<IssueLookup> {
  const all = sortIssues(await table.queryAll(knownIssues, getProjectIssuesSpan(project)));
  return ({ signature, fingerprint }) =>
    all.filter((one) => (signature === undefined ? one.fingerprint === fingerprint : one.signature === signature));
}

interface Tests {
  readonly tests: readonly { readonly signature: string; readonly knownIssues?: IssueMark[] | undefined }[];
}

export function addKnownIssues<Section extends Tests>(section: Section, issuesBy: IssueLookup): Section {
  const tests = section.tests.map((test) => {
    const issues = issuesBy({ signature: test.signature });
    return { ...test, knownIssues: issues.length > 0 ? issues.map(toIssueMark) : undefined };
  });
  return { ...section, tests };
}

const sortIssues = (all: readonly KnownIssue[]): KnownIssue[] =>
  all.toSorted(
    (one, other) => Number(one.state === 'done') - Number(other.state === 'done') || other.createdAt - one.createdAt,
  );
