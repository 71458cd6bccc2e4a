/** The email addresses of a user: how a request of a directory changes them, and which of them the account has. */

import type { DirectoryEmail, DirectoryEntry } from '#shared/model/directory/directory-entry.ts';
import { findEmailAddress, parseEmailAddress } from '#shared/organizations/create-account.ts';
import { invalidValue, noTarget, tooMany } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { type AttributeChange, findMember, isObject, parseFlag, parseText } from './patch.ts';

export function changeEmails(emails: readonly DirectoryEmail[], change: AttributeChange): DirectoryEmail[] {
  const changedEmails = keepOnePrimary(applyChange(emails, change));
  if (changedEmails.length > DIRECTORY_LIMITS.emails)
    throw tooMany(`A user can have at most ${DIRECTORY_LIMITS.emails} email addresses`);
  return changedEmails;
}

function applyChange(emails: readonly DirectoryEmail[], { op, path, value }: AttributeChange): DirectoryEmail[] {
  const { where, sub } = path;
  if (where === undefined && sub === undefined) {
    if (op === 'remove' || value === null) return [];
    const sentEmails = [value].flat().map(parseEmail);
    if (op === 'replace') return sentEmails;
    return [...emails.filter((email) => !sentEmails.some((sent) => isSameAddress(sent, email))), ...sentEmails];
  }
  const isMeant = (email: DirectoryEmail) =>
    where === undefined || matchesEmail(email, where.path.attribute, where.value);
  if (op === 'remove') return emails.filter((email) => !isMeant(email));
  const parts = sub === undefined ? pickEmailParts(value) : pickEmailParts({ [sub]: value });
  const changedEmail = (email: Partial<DirectoryEmail>) => parseEmail({ ...email, ...parts });
  if (emails.some(isMeant)) return emails.map((email) => (isMeant(email) ? changedEmail(email) : email));
  // Entra sets the address of a type that the user does not have yet.
  if (where === undefined) return [...emails, changedEmail({})];
  if (where.path.attribute === 'type' && typeof where.value === 'string')
    return [...emails, changedEmail({ type: where.value })];
  if (where.path.attribute === 'primary' && where.value === true) return [...emails, changedEmail({ primary: true })];
  throw noTarget();
}

const EMAIL_PARTS: ReadonlyMap<string, keyof DirectoryEmail> = new Map([
  ['value', 'value'],
  ['type', 'type'],
  ['primary', 'primary'],
]);

const isSameAddress = (one: DirectoryEmail, other: DirectoryEmail): boolean =>
  one.value.toLowerCase() === other.value.toLowerCase() && one.type === other.type;

function matchesEmail(email: DirectoryEmail, attribute: string, value: string | boolean): boolean {
  const part = EMAIL_PARTS.get(attribute);
  if (part === undefined) return false;
  const own = email[part] ?? (part === 'primary' ? false : '');
  return String(own).toLowerCase() === String(value).toLowerCase();
}

/** The parts of an address that the request names. */
function pickEmailParts(value: unknown): object {
  if (!isObject(value)) throw invalidValue('An email address must be an object with "value"');
  const parts = Object.entries(value).map(([name, part]) => [EMAIL_PARTS.get(name.toLowerCase()), part] as const);
  return Object.fromEntries(parts.filter(([member]) => member !== undefined));
}

function parseEmail(sent: unknown): DirectoryEmail {
  if (!isObject(sent)) throw invalidValue('An email address must be an object with "value"');
  const value = parseText('The value of an email address', findMember(sent, 'value'));
  if (value === '') throw invalidValue('The value of an email address must not be empty');
  const email: { -readonly [Name in keyof DirectoryEmail]: DirectoryEmail[Name] } = { value };
  const type = findMember(sent, 'type') ?? undefined;
  if (type !== undefined) email.type = parseText('The type of an email address', type);
  const primary = findMember(sent, 'primary') ?? undefined;
  if (primary !== undefined) email.primary = parseFlag('primary', { op: 'replace', path: PRIMARY, value: primary });
  return email;
}
const PRIMARY = { attribute: 'emails', where: undefined, sub: 'primary' };

/** RFC 7643, 2.4: at most one value is primary. The last one that says so wins. */
function keepOnePrimary(emails: readonly DirectoryEmail[]): DirectoryEmail[] {
  const last = emails.findLastIndex(({ primary }) => primary);
  return emails.map((email, index) => (email.primary && index !== last ? { ...email, primary: false } : email));
}

/** The address of the account: the user name if it is an address, else the primary address, the one of work, or any. */
export function findAddress({ userName, emails = [] }: Pick<DirectoryEntry, 'userName' | 'emails'>): string {
  const candidates = [
    userName,
    ...emails.filter(({ primary }) => primary).map(({ value }) => value),
    ...emails.filter(({ type }) => type?.toLowerCase() === 'work').map(({ value }) => value),
    ...emails.map(({ value }) => value),
  ];
  const address = candidates.find((candidate) => findEmailAddress(candidate) !== undefined);
  if (address !== undefined) return parseEmailAddress(address);
  throw invalidValue('A user needs an email address: as userName or in emails');
}
