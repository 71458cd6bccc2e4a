/** The words for records of the audit log that people read, and that its search looks at. */
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import { API_KEY_LEVELS, getLevelName } from './api-key-level.ts';

export interface AuditNames {
  readonly nameOf: (actor: string) => string;
  /** `undefined` if the subject of the record can be shown as it is, such as an email address. */
  readonly subjectOf: (record: AuditRecord) => string | undefined;
  /** The name of a project that the details of a record name by its id. */
  readonly projectOf: (projectId: string) => string | undefined;
}

/** How people read the words that the API uses for roles, levels and rules. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...ROLES.map((role) => [role, getRoleName(role)] as const),
  ...API_KEY_LEVELS.map((level) => [level, getLevelName(level)] as const),
  ['expiresAfter', 'end'],
  ['matcher', 'tests'],
]);

const WORD = /\b[a-z]+(?:[A-Z][a-z]+)?\b/g;

const writeWords = (text: string): string => text.replaceAll(WORD, (word) => WORDS.get(word) ?? word);

export const writeDetail = ({ detail }: AuditRecord): string => writeWords(detail);

/** The name of an API key ends with its level. */
export const writeActor = (name: string): string =>
  name.startsWith('api:') ? `API key ${writeWords(name.slice(4))}` : name;

/** Pages call an action a rule. */
export const writeChange = ({ action }: AuditRecord): string => action.replace(/^action /, 'rule ');

/** What the search of the log looks at. */
export function describeRecord(record: AuditRecord, { nameOf, subjectOf }: AuditNames): string {
  const { actor, subject, detail } = record;
  return [
    writeChange(record),
    writeActor(nameOf(actor)),
    subjectOf(record) ?? '',
    subject,
    writeDetail(record),
    detail,
  ].join(' ');
}
