/** §4.4.11 Moves rules, issues and their quarantine to the present name of a test. A repetition continues. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, remove, removeWhen } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { issueQuarantines } from '#shared/model/issues/issue-automation.ts';
import { deriveIssueId, getTestIssuesSpan, knownIssues } from '#shared/model/issues/known-issue.ts';
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
  const { organizationId, projectId, signature, actor } = request;
  const projectKey = { organizationId, projectId };
  await changeOrganization(services, { organizationId, actor, action: 'issues:write' }, async () => {
    const issues = await services.table.queryAll(knownIssues, getTestIssuesSpan({ ...projectKey, signature }), {
      consistent: true,
    });
    const quarantine = await services.table.get(issueQuarantines, { ...projectKey, signature }, { consistent: true });
    if (issues.length === 0 && !quarantine) return { result: undefined };
    const writes = await Promise.all(
      issues.map(async (issue) => {
        const issueId = deriveIssueId({ ...issue, signature: presentSignature });
        const existingIssue = await services.table.get(knownIssues, { ...projectKey, issueId }, { consistent: true });
        const movedIssue = { ...issue, issueId, signature: presentSignature, spec: to.spec, testTitle: to.title };
        const condition = expectSameValues(issue, 'checkedAt', 'seenAt', 'countedRun', 'state');
        return [
          removeWhen(knownIssues, issue, condition),
          ...(existingIssue ? [] : [put(knownIssues, movedIssue, ABSENT)]),
        ];
      }),
    );
    const presentQuarantine = await services.table.get(
      issueQuarantines,
      { ...projectKey, signature: presentSignature },
      { consistent: true },
    );
    const quarantineWrites = quarantine
      ? [
          removeWhen(issueQuarantines, quarantine, expectSameValues(quarantine, 'actionId')),
          ...(presentQuarantine ? [] : [put(issueQuarantines, { ...quarantine, signature: presentSignature }, ABSENT)]),
        ]
      : [];
    const [first] = issues;
    return {
      result: undefined,
      inProject: projectKey,
      writes: [...writes.flat(), ...quarantineWrites],
      record: {
        action: 'issue moved',
        subject: projectId,
        label: first?.key ?? formatNamedTest(from),
        detail: formatNamedTest(to),
      },
    };
  });
}
