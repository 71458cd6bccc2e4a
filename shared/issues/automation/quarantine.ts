/** §5.2 Quarantines tests while they have an issue that is not done, and ends these quarantines. */
import { AUTOMATION } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { ABSENT, put, remove } from '#shared/engine/table/writes.ts';
import { type IssueQuarantine, issueQuarantines } from '#shared/model/issues/issue-automation.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { makeQuarantineRule } from '#shared/rules/quarantine-of-test.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';
import { archiveRule } from '#shared/rules/update-rule.ts';
import type { Pass } from './pass.ts';

/**
 * Quarantines whose issues are done are ended even if the setting was turned off in the meantime, because nothing else
 * would end them. While an issue is open, a rule that somebody disabled or changed stays as it is.
 */
export async function keepQuarantines(pass: Pass, quarantines: readonly IssueQuarantine[]): Promise<void> {
  const { issues, settings, quarantined } = pass;
  for (const quarantine of quarantines) {
    const isOver = issues.listOfTest(quarantine.signature).every(({ state }) => state === 'done');
    if (isOver && !(await isMoved(pass, quarantine))) await endQuarantine(pass, quarantine);
  }
  if (!settings.quarantines) return;
  for (const issue of issues.list())
    if (issue.state !== 'done' && !quarantined.has(issue.signature)) await beginQuarantine(pass, issue);
}

/** Whether a person gave the quarantine and the issues of the test to its present name during this pass. */
const isMoved = async ({ services }: Pass, quarantine: IssueQuarantine): Promise<boolean> =>
  (await services.table.get(issueQuarantines, quarantine, { consistent: true })) === undefined;

/** One transaction writes the rule and the row by which it is ended later, so a repeated pass adds no second rule. */
async function beginQuarantine({ services, project, quarantined, note }: Pass, issue: KnownIssue): Promise<void> {
  const { organizationId, projectId } = project;
  const { signature, spec, testTitle: title, key, url } = issue;
  const why = `Until ${key} is done: ${url}`;
  const projectKey = { organizationId, projectId };
  try {
    const input = NewAction.parse(makeQuarantineRule({ spec, title }, why));
    await createRule(services, {
      ...projectKey,
      actor: AUTOMATION,
      input,
      also: ({ actionId }) => [put(issueQuarantines, { ...projectKey, signature, actionId }, ABSENT)],
    });
    quarantined.add(signature);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(`A test could not be quarantined. ${error.message}`);
  }
}

async function endQuarantine({ services, quarantined }: Pass, quarantine: IssueQuarantine): Promise<void> {
  const { organizationId, actionId, signature } = quarantine;
  try {
    await archiveRule(services, { organizationId, actionId, actor: AUTOMATION });
  } catch (error) {
    // The rule may be missing, because somebody archived it, and archived rules are removed after a while.
    if (!(error instanceof ApiError && error.details.missing !== undefined)) throw error;
  }
  await services.table.writeMany([remove(issueQuarantines, quarantine)]);
  quarantined.delete(signature);
}
