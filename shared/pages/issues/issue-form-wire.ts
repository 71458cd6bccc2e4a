/** The fields of the pages and forms that create and link issues. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import type { FormFields } from '#shared/engine/http/form.ts';
import type { NewIssue } from '#shared/issues/issue-wire.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { id, text } from '#shared/model/names.ts';
import { checkbox, entry, given } from '#shared/pages/shell/form-wire.ts';
import { targetMembers } from '#shared/results/target-wire.ts';

/** Forms send numbers as text. */
const attempt = z.preprocess(
  (sent) => (typeof sent === 'string' && sent !== '' ? Number(sent) : undefined),
  targetMembers.attempt,
);

/** The test that a form is about. */
const testFields = { instanceId: id, testId: targetMembers.testId.unwrap(), attempt };

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
export const testQueryOf = ({ instanceId, testId, attempt: of, integrationId }: FormFields) =>
  z.object({ ...testQuery, attempt }).parse({
    instance_id: instanceId,
    test_id: testId,
    attempt: of,
    integration_id: integrationId,
  });

export const newIssueQueryOf = (sent: FormFields) => ({
  ...testQueryOf(sent),
  tracker_project_id: newIssueQuery.tracker_project_id.parse(sent['trackerProjectId'] || undefined),
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

/** The names of the two inputs for a field that the tracker requires: one for its value and one for its type. */
export const valueName = (fieldId: string): string => `${VALUE}${fieldId}`;
export const typeName = (fieldId: string): string => `type:${fieldId}`;
const VALUE = 'field:';

export function enteredIssue(sent: z.output<typeof NewIssueForm>): NewIssue {
  const { instanceId, testId, attempt: of, integrationId, issueTypeId, issueTitle } = sent;
  const trackerProjectId = sent.trackerProjectId.trim();
  if (trackerProjectId === '') throw invalidRequest('Choose where to create the issue', ['trackerProjectId']);
  const customFields = customFieldsIn(sent);
  return {
    instanceId,
    testId,
    attempt: of,
    integrationId,
    trackerProjectId,
    issueTypeId: given(issueTypeId),
    issueTitle: given(issueTitle),
    ...(customFields.length > 0 ? { customFields } : {}),
  };
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
export const refusedFieldsIn = (body: unknown) => RefusedFields.safeParse(body).data?.fields ?? [];

/** The ids of the fields whose values a form has sent. */
export const sentFieldIds = (sent: FormFields): string[] =>
  Object.keys(sent)
    .filter((name) => name.startsWith(VALUE))
    .map((name) => name.slice(VALUE.length));

function customFieldsIn(sent: Readonly<Record<string, unknown>>) {
  return Object.entries(sent).flatMap(([name, value]) => {
    if (!name.startsWith(VALUE) || typeof value !== 'string' || value.trim() === '') return [];
    const fieldId = name.slice(VALUE.length);
    return [{ fieldId, value: typedValue(value.trim(), sent[typeName(fieldId)]) }];
  });
}

/** Converts a value to the type that the tracker expects. */
function typedValue(value: string, type: unknown): unknown {
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

export function enteredLink({ includeFailure: includeContextInComment, ...sent }: z.output<typeof LinkForm>) {
  const issueKey = sent.issueKey.trim();
  if (issueKey === '') throw invalidRequest('Enter the key or the address of the issue', ['issueKey']);
  const comment = given(sent.comment);
  if (!includeContextInComment && comment === undefined)
    throw invalidRequest('Enter a comment, or include the failure in it', ['comment']);
  return { ...sent, issueKey, comment, includeContextInComment };
}
