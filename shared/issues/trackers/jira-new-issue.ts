/**
 * Creates an issue in Jira. What a project accepts depends on its screens and fields, so a refused issue is sent again in
 * another form if that may help.
 */
import { type ApiAnswer, BAD_REQUEST, NOT_FOUND } from '#shared/hosts/api-client.ts';
import { toAdf } from '../text/adf.ts';
import type { TextBlock } from '../text/blocks.ts';
import { CreatedIssueKey, Fields, JIRA_LIMITS, type JiraField, Refusal } from './jira-wire.ts';
import { type NewTrackerIssue, type RefusedField, TrackerProblem } from './tracker.ts';
import { encodePart, formatQuery, formatTitle, type TrackerHttp } from './tracker-http.ts';

/** Besides the first form: without labels, and with custom fields as documents. Jira may name these problems one by one. */
const MOST_CHANGES = 2;

export async function createJiraIssue(
  http: TrackerHttp,
  issue: NewTrackerIssue,
  formatText: FormatText,
): Promise<string> {
  const ownFields = { ...buildOwnFields(issue), summary: formatTitle(issue.title) };
  let parts: OptionalParts = { labels: [toLabel(issue.marker)], last: [], custom: buildCustomFields(issue) };
  for (let changes = 0; ; changes += 1) {
    const { labels, last, custom } = parts;
    // `JSON.stringify` leaves out labels that are undefined.
    const fields = { ...ownFields, description: formatText(issue.text, last), labels, ...custom };
    const answer = await http.ask({
      method: 'POST',
      path: '/issue',
      body: { fields },
      subject: 'new issue',
      about: 'project',
      except: [BAD_REQUEST],
    });
    if (answer.statusCode !== BAD_REQUEST) return http.parse(CreatedIssueKey, answer, 'new issue').key;
    const otherParts = changes < MOST_CHANGES ? findAlternative(parts, issue, answer) : undefined;
    if (!otherParts) throw await explainRefusal(http, issue, answer);
    parts = otherParts;
  }
}

/** Writes blocks in the format of this Jira. The blocks in `last` stay even if the text is cut. */
export type FormatText = (text: readonly TextBlock[], last?: readonly TextBlock[]) => object | string;

/** A label must not contain spaces, and Jira's text search splits a marker at punctuation. */
export function toLabel(marker: string): string {
  if (!/^[A-Za-z0-9]+$/.test(marker)) throw new Error('A marker must consist of letters and digits');
  return `rundown-${marker}`;
}

function buildOwnFields({ projectId, typeId }: NewTrackerIssue) {
  if (typeId === undefined)
    throw new TrackerProblem(
      { kind: 'invalid' },
      'Jira requires an issue type. Choose one of the issue types of the project',
    );
  return {
    project: isNumber(projectId) ? { id: projectId } : { key: projectId },
    issuetype: isNumber(typeId) ? { id: typeId } : { name: typeId },
  };
}

const isNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

const OWN_FIELDS = ['project', 'issuetype', 'summary', 'description', 'labels'];

function buildCustomFields({ customFields = [] }: NewTrackerIssue): Record<string, unknown> {
  const ownField = customFields.find(({ fieldId }) => OWN_FIELDS.includes(fieldId));
  if (ownField) {
    const problem = `Rundown sets the field ${ownField.fieldId} of Jira itself. Leave it out of customFields`;
    throw new TrackerProblem({ kind: 'invalid' }, problem);
  }
  return Object.fromEntries(customFields.map(({ fieldId, value }) => [fieldId, value]));
}

/** The parts of a new issue that Jira may refuse in one form and accept in another. */
interface OptionalParts {
  readonly labels: readonly string[] | undefined;
  /** The last blocks of the description: one that names the marker if no label does, otherwise none. */
  readonly last: readonly TextBlock[];
  readonly custom: Readonly<Record<string, unknown>>;
}

/**
 * The form of the issue that Jira may accept after it refused `parts`, or `undefined` if there is none: a screen for new
 * issues may lack labels, and Jira Cloud takes a custom field with several lines only as a document.
 */
function findAlternative(
  { labels, last, custom }: OptionalParts,
  { marker }: NewTrackerIssue,
  { json }: ApiAnswer,
): OptionalParts | undefined {
  const { errorMessages = [], errors = {} } = Refusal.safeParse(json).data ?? {};
  const documents: Record<string, unknown> = {};
  // Whether Jira names a problem that no other form solves.
  let isHopeless = errorMessages.length > 0 || Object.keys(errors).length === 0;
  for (const [field, problem] of Object.entries(errors)) {
    const value = custom[field];
    if (typeof value === 'string' && problem.includes('Atlassian Document'))
      documents[field] = toAdf([toParagraph(value)], JIRA_LIMITS.textCharacters);
    else if (field !== 'labels' || !labels) isHopeless = true;
  }
  if (isHopeless) return undefined;
  const newCustom = { ...custom, ...documents };
  if (!('labels' in errors)) return { labels, last, custom: newCustom };
  return { labels: undefined, last: [toParagraph(`Created by Rundown ${marker}`)], custom: newCustom };
}

const toParagraph = (text: string): TextBlock => ({ kind: 'paragraph', spans: [{ kind: 'text', text }] });

async function explainRefusal(http: TrackerHttp, issue: NewTrackerIssue, answer: ApiAnswer): Promise<TrackerProblem> {
  const { errors = {} } = Refusal.safeParse(answer.json).data ?? {};
  const call = { subject: 'new issue', about: 'project' } as const;
  if ('project' in errors) return http.explainRefusal({ ...answer, statusCode: NOT_FOUND }, call);
  const refusals = Object.entries(errors).filter(([field]) => field !== 'labels');
  if (refusals.length === 0) return http.explainRefusal(answer, call);
  const fieldsById = await readFields(http, issue);
  const problems = refusals.map(([id, problem]) => {
    const name = fieldsById.get(id)?.name;
    return `${http.quote(name === undefined ? id : `${name} (${id})`)}: ${http.quote(problem)}`;
  });
  const fields = refusals
    .filter(([fieldId]) => !OWN_FIELDS.includes(fieldId))
    .map(([fieldId]) => toRefusedField(http, fieldsById.get(fieldId) ?? { fieldId, name: fieldId }));
  const sentences = problems.map((text) => text.replace(/\.?$/, '.')).join(' ');
  const advice =
    fields.length === 0
      ? 'Change the project in Jira so that it accepts them'
      : 'Send an accepted value for each of these fields in customFields, or change the project in Jira so that it does not require them';
  const problem = `Jira does not accept the issue. ${sentences} ${advice}`;
  return new TrackerProblem({ kind: 'invalid', fields }, problem, answer.statusCode);
}

const MOST_OPTIONS = 100;

function toRefusedField(http: TrackerHttp, { fieldId, name, schema, allowedValues = [] }: JiraField): RefusedField {
  const options = allowedValues
    .slice(0, MOST_OPTIONS)
    .map((option) => ({ id: option.id, name: http.quote(option.value ?? option.name ?? option.id) }));
  return { fieldId, name: http.quote(name), type: toFieldType(schema?.type, options.length > 0), options };
}

function toFieldType(jiraType: string | undefined, hasOptions: boolean): RefusedField['type'] {
  if (hasOptions) return jiraType === 'array' ? 'options' : 'option';
  return jiraType === 'number' ? 'number' : 'text';
}

/** For error messages, because people know a field by its name. Empty if the fields cannot be read. */
async function readFields(
  http: TrackerHttp,
  { projectId, typeId }: NewTrackerIssue,
): Promise<ReadonlyMap<string, JiraField>> {
  const type = `/issue/createmeta/${encodePart(projectId)}/issuetypes/${encodePart(typeId ?? '')}`;
  const path = `${type}${formatQuery({ maxResults: JIRA_LIMITS.perPage })}`;
  try {
    const { fields, values = [] } = await http.read(Fields, { path, subject: 'fields', about: 'project' });
    return new Map((fields ?? values).map((field) => [field.fieldId, field]));
  } catch (error) {
    if (error instanceof TrackerProblem) return new Map();
    throw error;
  }
}
