/** The attributes of a user that a directory may set. Others are accepted and forgotten, also a password. */

import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { DirectoryEmail, DirectoryEntry, DirectoryPersonName } from '#shared/model/directory/directory-entry.ts';
import { NAME } from '#shared/model/names.ts';
import { findEmailAddress, parseEmailAddress } from '#shared/organizations/create-account.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { invalidValue, noTarget, tooMany } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import {
  type AttributeChange,
  findMember,
  isObject,
  parseFlag,
  parseOptionalText,
  parseRequiredText,
  parseText,
} from './patch.ts';

export interface UserAttributes
  extends Pick<DirectoryEntry, 'userName' | 'externalId' | 'displayName' | 'name' | 'emails' | 'active'> {}

type Setter = (attributes: UserAttributes, change: AttributeChange) => UserAttributes;

const SETTERS: ReadonlyMap<string, Setter> = new Map<string, Setter>([
  ['username', (attributes, change) => ({ ...attributes, userName: parseRequiredText('userName', change) })],
  ['active', (attributes, change) => ({ ...attributes, active: parseFlag('active', change) })],
  ['externalid', ({ externalId: _, ...attributes }, change) => addText(attributes, 'externalId', change)],
  ['displayname', ({ displayName: _, ...attributes }, change) => addText(attributes, 'displayName', change)],
  ['name', setName],
  ['emails', setEmails],
]);

/** The attributes after the changes, in their order. */
export function changeAttributes(attributes: UserAttributes, changes: readonly AttributeChange[]): UserAttributes {
  return changes.reduce((all, change) => SETTERS.get(change.path.attribute)?.(all, change) ?? all, attributes);
}

/** What a whole resource says. An attribute that it leaves out is removed, except `active`. */
export function readAttributes(changes: readonly AttributeChange[], active: boolean): UserAttributes {
  const attributes = changeAttributes({ userName: '', active }, changes);
  if (attributes.userName === '') throw invalidValue('A user needs a userName');
  return attributes;
}

function addText<Name extends 'externalId' | 'displayName'>(
  attributes: UserAttributes,
  name: Name,
  change: AttributeChange,
): UserAttributes {
  const text = parseOptionalText(name, change);
  return text === undefined ? attributes : { ...attributes, [name]: text };
}

const NAMES: ReadonlyMap<string, keyof DirectoryPersonName> = new Map([
  ['formatted', 'formatted'],
  ['givenname', 'givenName'],
  ['familyname', 'familyName'],
]);

function setName({ name, ...attributes }: UserAttributes, change: AttributeChange): UserAttributes {
  const { path, op, value } = change;
  if (path.sub !== undefined) {
    const member = NAMES.get(path.sub);
    const changedName = member ? setNamePart(name, member, change) : name;
    return changedName ? { ...attributes, name: changedName } : attributes;
  }
  if (op === 'remove' || value === null) return attributes;
  if (!isObject(value)) throw invalidValue('name must be an object');
  let changedName = name;
  for (const [key, part] of Object.entries(value)) {
    const member = NAMES.get(key.toLowerCase());
    if (member) changedName = setNamePart(changedName, member, { ...change, value: part });
  }
  return changedName ? { ...attributes, name: changedName } : attributes;
}

function setNamePart(
  name: DirectoryPersonName | undefined,
  member: keyof DirectoryPersonName,
  change: AttributeChange,
): DirectoryPersonName | undefined {
  const { [member]: _, ...others } = name ?? {};
  const text = parseOptionalText(`name.${member}`, change);
  const changedName = text === undefined ? others : { ...others, [member]: text };
  return Object.keys(changedName).length > 0 ? changedName : undefined;
}

function setEmails({ emails = [], ...attributes }: UserAttributes, change: AttributeChange): UserAttributes {
  const changedEmails = keepOnePrimary(changeEmails(emails, change));
  if (changedEmails.length > DIRECTORY_LIMITS.emails)
    throw tooMany(`A user can have at most ${DIRECTORY_LIMITS.emails} email addresses`);
  return changedEmails.length === 0 ? attributes : { ...attributes, emails: changedEmails };
}

function changeEmails(emails: readonly DirectoryEmail[], { op, path, value }: AttributeChange): DirectoryEmail[] {
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
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const member = EMAIL_PARTS.get(name.toLowerCase());
      return member ? [[member, part]] : [];
    }),
  );
}

function parseEmail(sent: unknown): DirectoryEmail {
  if (!isObject(sent)) throw invalidValue('An email address must be an object with "value"');
  const value = parseText('The value of an email address', findMember(sent, 'value'));
  if (value === '') throw invalidValue('The value of an email address must not be empty');
  const type = findMember(sent, 'type') ?? undefined;
  const primary = findMember(sent, 'primary') ?? undefined;
  return {
    value,
    ...(type === undefined ? {} : { type: parseText('The type of an email address', type) }),
    ...(primary === undefined
      ? {}
      : { primary: parseFlag('primary', { op: 'replace', path: PRIMARY, value: primary }) }),
  };
}
const PRIMARY = { attribute: 'emails', where: undefined, sub: 'primary' };

/** RFC 7643, 2.4: at most one value is primary. The last one that says so wins. */
function keepOnePrimary(emails: readonly DirectoryEmail[]): DirectoryEmail[] {
  const last = emails.findLastIndex(({ primary }) => primary);
  return emails.map((email, index) => (email.primary && index !== last ? { ...email, primary: false } : email));
}

/** The address of the account: the user name if it is an address, else the primary address, the one of work, or any. */
export function findAddress({ userName, emails = [] }: UserAttributes): string {
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

/** The name of the account: one visible line. */
export function findPersonName({ displayName, name, userName }: UserAttributes): string {
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' ');
  const sentName = [displayName, name?.formatted, parts, userName]
    .map((text) => clean(text ?? ''))
    .find((text) => text !== '');
  return sentName ?? userName;
}

const clean = (text: string): string =>
  takeFirstCharacters(
    Array.from(text, (character) => (NAME.test(character) ? character : ' '))
      .join('')
      .trim(),
    ORGANIZATION_LIMITS.nameCharacters,
  ).trim();
