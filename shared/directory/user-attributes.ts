/** The attributes of a user that a directory may set. Others are accepted and forgotten, also a password. */

import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { DirectoryEntry, DirectoryPersonName } from '#shared/model/directory/directory-entry.ts';
import { NAME } from '#shared/model/names.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { invalidValue } from './errors.ts';
import { type AttributeChange, isObject, parseFlag, parseOptionalText, parseRequiredText } from './patch.ts';
import { changeEmails } from './user-emails.ts';

export interface UserAttributes
  extends Pick<DirectoryEntry, 'userName' | 'externalId' | 'displayName' | 'name' | 'emails' | 'active'> {}

/** What a directory may set of a person. */
export const pickAttributes = ({
  userName,
  externalId,
  displayName,
  name,
  emails,
  active,
}: DirectoryEntry): UserAttributes => ({ userName, externalId, displayName, name, emails, active });

type Setter = (attributes: UserAttributes, change: AttributeChange) => UserAttributes;

const SETTERS: ReadonlyMap<string, Setter> = new Map<string, Setter>([
  ['username', (attributes, change) => ({ ...attributes, userName: parseRequiredText('userName', change) })],
  ['active', (attributes, change) => ({ ...attributes, active: parseFlag('active', change) })],
  ['externalid', ({ externalId: _, ...attributes }, change) => addText(attributes, 'externalId', change)],
  ['displayname', ({ displayName: _, ...attributes }, change) => addText(attributes, 'displayName', change)],
  ['name', setName],
  ['emails', setEmails],
]);

function setEmails({ emails = [], ...attributes }: UserAttributes, change: AttributeChange): UserAttributes {
  const changedEmails = changeEmails(emails, change);
  return changedEmails.length === 0 ? attributes : { ...attributes, emails: changedEmails };
}

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

/** The name of the account: one visible line. */
export function findPersonName({ displayName, name, userName }: UserAttributes): string {
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' ');
  const sentName = [displayName, name?.formatted, parts, userName]
    .map((text) => clean(text ?? ''))
    .find((text) => text !== '');
  return sentName ?? userName;
}

function clean(text: string): string {
  const visibleText = Array.from(text, (character) => (NAME.test(character) ? character : ' ')).join('');
  return takeFirstCharacters(visibleText.trim(), ORGANIZATION_LIMITS.nameCharacters).trim();
}
