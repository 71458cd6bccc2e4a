/** §4.4.11 Moves rules, issues and their quarantine to the present name of a test. A repetition continues. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { type IssueQuarantine, issueQuarantines } from '#shared/model/issues/issue-automation.ts';
import { deriveIssueId, getTestIssuesSpan, type KnownIssue, knownIssues } from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { renamedTests } from '#shared/model/rules/renamed-test.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { isMovable } from './moved-matcher.ts';
import { formatNamedTest, type LeftTest, listRenamedTests } from './renamed-tests.ts';
import { moveRule } from './update-rule.ts';

type MoveRequest = OrganizationRequest & ProjectKey & { readonly signature: string };

/** `signature`: that of the test under its former name. */
export async function moveRenamedTest(services: CoreServices, request: MoveRequest): Promise<void> {
  const { organizationId, projectId, signature, actor } = request;
  await findProjectInUse(services, { organizationId, projectId });
  const tests = await listRenamedTests(services, { organizationId, projectId });
  const test = tests.find((one) => one.signature === signature) ?? refuse(notFound('Test'));
  const { from, to } = test;
  for (const { actionId } of test.rules) await moveRule(services, { organizationId, actionId, actor, from, to });
  await moveIssues(services, request, test);
  if (test.rules.every((rule) => isMovable(rule, test)))
    await services.table.writeMany([remove(renamedTests, { organizationId, projectId, signature })]);
}

/** One transaction, so that automation never sees a quarantine whose test has no issue. */
async function moveIssues(services: CoreServices, request: MoveRequest, { from, to, presentSignature }: LeftTest) {
  const { table } = services;
  const { organizationId, projectId, signature, actor } = request;
  const projectKey = { organizationId, projectId };
  await changeOrganization(services, { organizationId, actor, action: 'issues:write' }, async () => {
    const span = getTestIssuesSpan({ ...projectKey, signature });
    const issues = await table.queryAll(knownIssues, span, { consistent: true });
    const quarantine = await table.get(issueQuarantines, { ...projectKey, signature }, { consistent: true });
    if (issues.length === 0 && !quarantine) return { result: undefined };
    const presentTest = { signature: presentSignature, spec: to.spec, testTitle: to.title };
    const issueWrites = await Promise.all(issues.map((issue) => planIssueMove(services, issue, presentTest)));
    const quarantineWrites = quarantine ? await planQuarantineMove(services, quarantine, presentSignature) : [];
    const [first] = issues;
    return {
      result: undefined,
      inProject: projectKey,
      writes: [...issueWrites.flat(), ...quarantineWrites],
      record: {
        action: 'issue moved',
        subject: projectId,
        label: first?.key ?? formatNamedTest(from),
        detail: formatNamedTest(to),
      },
    };
  });
}

/** An issue that is also linked to the test under its present name stays linked as it is. */
async function planIssueMove(
  { table }: WithTable,
  issue: KnownIssue,
  presentTest: Pick<KnownIssue, 'signature' | 'spec' | 'testTitle'>,
): Promise<Write[]> {
  const issueId = deriveIssueId({ ...issue, signature: presentTest.signature });
  const existingIssue = await table.get(knownIssues, { ...issue, issueId }, { consistent: true });
  const isUnchanged = expectSameValues(issue, 'checkedAt', 'seenAt', 'countedRun', 'state');
  const writes: Write[] = [removeWhen(knownIssues, issue, isUnchanged)];
  if (!existingIssue) writes.push(put(knownIssues, { ...issue, ...presentTest, issueId }, ABSENT));
  return writes;
}

async function planQuarantineMove(
  { table }: WithTable,
  quarantine: IssueQuarantine,
  presentSignature: string,
): Promise<Write[]> {
  const movedQuarantine = { ...quarantine, signature: presentSignature };
  const existingQuarantine = await table.get(issueQuarantines, movedQuarantine, { consistent: true });
  const writes: Write[] = [removeWhen(issueQuarantines, quarantine, expectSameValues(quarantine, 'actionId'))];
  if (!existingQuarantine) writes.push(put(issueQuarantines, movedQuarantine, ABSENT));
  return writes;
}
