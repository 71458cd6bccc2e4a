/** The fields of the pages and forms that create and link issues. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import type { FormFields } from '#shared/engine/http/form.ts';
import type { NewIssue } from '#shared/issues/issue-wire.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { id, text } from '#shared/model/names.ts';
import { checkbox, entry, trimEntry } from '#shared/pages/shell/form-wire.ts';
import { targetMembers } from '#shared/results/executions/target-wire.ts';

/** Forms send numbers as text. */
const attemptEntry = z.preprocess(
  (text) => (typeof text === 'string' && text !== '' ? Number(text) : undefined),
  targetMembers.attempt,
);

const testFields = { instanceId: id, testId: targetMembers.testId.unwrap(), attempt: attemptEntry };

/** The query of a page about creating or linking an issue: the failed test, and the chosen connection. */
export const testQuery = {
  instance_id: id.optional(),
  test_id: targetMembers.testId,
  attempt: targetMembers.attempt,
  integration_id: id.optional(),
};

export const newIssueQuery = {
  ...testQuery,
  tracker_project_id: text(ISSUE_LIMITS.trackerIdCharacters).optional(),
  search: text(ISSUE_LIMITS.searchCharacters).optional(),
};

/** The query of the page that shows a refused form again. */
export const toTestQuery = ({ instanceId, testId, attempt, integrationId }: FormFields) =>
  z.object({ ...testQuery, attempt: attemptEntry }).parse({
    instance_id: instanceId,
    test_id: testId,
    attempt,
    integration_id: integrationId,
  });

export const toNewIssueQuery = (fields: FormFields) => ({
  ...toTestQuery(fields),
  tracker_project_id: newIssueQuery.tracker_project_id.parse(fields['trackerProjectId'] || undefined),
  search: undefined,
});

export const NewIssueForm = z
  .object({
    ...testFields,
    integrationId: id,
    trackerProjectId: entry(ISSUE_LIMITS.trackerIdCharacters),
    issueTypeId: entry(ISSUE_LIMITS.trackerIdCharacters),
    issueTitle: entry(ISSUE_LIMITS.titleCharacters),
  })
  // The values and types of the fields that the tracker requires. Their names depend on the tracker.
  .catchall(z.unknown());

const VALUE = 'field:';

/** The names of the two inputs for a field that the tracker requires: one for its value and one for its type. */
export const makeValueName = (fieldId: string): string => `${VALUE}${fieldId}`;
export const makeTypeName = (fieldId: string): string => `type:${fieldId}`;

export function toNewIssue(fields: z.output<typeof NewIssueForm>): NewIssue {
  const { instanceId, testId, attempt, integrationId, issueTypeId, issueTitle } = fields;
  const trackerProjectId = fields.trackerProjectId.trim();
  if (trackerProjectId === '') throw invalidRequest('Choose where to create the issue', ['trackerProjectId']);
  const customFields = listCustomFields(fields);
  const issue = {
    instanceId,
    testId,
    attempt,
    integrationId,
    trackerProjectId,
    issueTypeId: trimEntry(issueTypeId),
    issueTitle: trimEntry(issueTitle),
  };
  return customFields.length > 0 ? { ...issue, customFields } : issue;
}

const RefusedFields = z.object({
  fields: z.array(
    z.object({
      fieldId: z.string(),
      name: z.string(),
      type: z.string(),
      options: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
  ),
});

/** The fields that the tracker requires, in the error of a refused form. */
export const parseRequiredFields = (body: unknown) => RefusedFields.safeParse(body).data?.fields ?? [];

export const listSentFieldIds = (fields: FormFields): string[] =>
  Object.keys(fields)
    .filter((name) => name.startsWith(VALUE))
    .map((name) => name.slice(VALUE.length));

function listCustomFields(fields: Readonly<Record<string, unknown>>) {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!name.startsWith(VALUE) || typeof value !== 'string' || value.trim() === '') return [];
    const fieldId = name.slice(VALUE.length);
    return [{ fieldId, value: toTypedValue(value.trim(), fields[makeTypeName(fieldId)]) }];
  });
}

function toTypedValue(value: string, type: unknown): unknown {
  switch (type) {
    case 'number':
      return Number.isNaN(Number(value)) ? value : Number(value);
    case 'option':
      return { id: value };
    case 'options':
      return [{ id: value }];
    default:
      return value;
  }
}

export const LinkForm = z.object({
  ...testFields,
  integrationId: id,
  issueKey: entry(ISSUE_LIMITS.trackerIdCharacters),
  comment: entry(ISSUE_LIMITS.commentCharacters),
  includeFailure: checkbox,
});

export function toIssueLink({ includeFailure, ...fields }: z.output<typeof LinkForm>) {
  const issueKey = fields.issueKey.trim();
  if (issueKey === '') throw invalidRequest('Enter the key or the address of the issue', ['issueKey']);
  const comment = trimEntry(fields.comment);
  if (!includeFailure && comment === undefined)
    throw invalidRequest('Enter a comment, or include the failure in it', ['comment']);
  return { ...fields, issueKey, comment, includeContextInComment: includeFailure };
}
