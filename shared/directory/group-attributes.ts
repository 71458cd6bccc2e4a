/** The attributes of a group that a directory may set. Others are accepted and forgotten. */
import type { DirectoryGroup } from '#shared/model/directory/directory-group.ts';
import { immutable, invalidValue, noTarget, tooMany } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { type AttributeChange, findMember, isObject, parseOptionalText, parseRequiredText } from './patch.ts';

export type GroupAttributes = Pick<DirectoryGroup, 'displayName' | 'externalId'>;

/** What a request does with the members of a group. */
export interface MemberChanges {
  /** Absent: the members stay, except those named below. */
  readonly only?: readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

interface GroupChange {
  readonly attributes: GroupAttributes;
  readonly members: MemberChanges;
}

const NO_CHANGE: MemberChanges = { add: [], remove: [] };

export const changeGroupAttributes = (
  attributes: GroupAttributes,
  changes: readonly AttributeChange[],
  members: MemberChanges = NO_CHANGE,
): GroupChange => changes.reduce(applyChange, { attributes, members });

/** What a whole resource says. Members and an external id that it leaves out are removed. */
export function readGroupAttributes(changes: readonly AttributeChange[]): GroupChange {
  const change = changeGroupAttributes({ displayName: '' }, changes, { ...NO_CHANGE, only: [] });
  if (change.attributes.displayName === '') throw invalidValue('A group needs a displayName');
  return change;
}

function applyChange({ attributes, members }: GroupChange, change: AttributeChange): GroupChange {
  switch (change.path.attribute) {
    case 'displayname':
      if (change.op === 'remove') throw immutable('displayName');
      return { attributes: { ...attributes, displayName: parseRequiredText('displayName', change) }, members };
    case 'externalid': {
      const { externalId: _, ...others } = attributes;
      const externalId = parseOptionalText('externalId', change);
      return { attributes: externalId === undefined ? others : { ...others, externalId }, members };
    }
    case 'members':
      return { attributes, members: changeMembers(members, change) };
    default:
      return { attributes, members };
  }
}

/** Later operations of a request win over earlier ones. */
function changeMembers(members: MemberChanges, { op, path, value }: AttributeChange): MemberChanges {
  const { where } = path;
  if (where) {
    if (where.path.attribute !== 'value' || typeof where.value !== 'string') throw noTarget();
    return op === 'remove' ? removeMembers(members, [where.value]) : addMembers(members, [where.value]);
  }
  if (op === 'add') return addMembers(members, parseMembers(value));
  if (op === 'replace') return { only: value === null ? [] : parseMembers(value), add: [], remove: [] };
  // Without a value, all members are removed.
  return value === undefined || value === null
    ? { only: [], add: [], remove: [] }
    : removeMembers(members, parseMembers(value));
}

const addMembers = ({ remove, add, ...rest }: MemberChanges, entryIds: readonly string[]): MemberChanges => {
  const added = new Set(entryIds);
  return { ...rest, add: [...add, ...added], remove: remove.filter((entryId) => !added.has(entryId)) };
};

const removeMembers = ({ only, add, remove }: MemberChanges, entryIds: readonly string[]): MemberChanges => {
  const removed = new Set(entryIds);
  return {
    ...(only ? { only: only.filter((entryId) => !removed.has(entryId)) } : {}),
    add: add.filter((entryId) => !removed.has(entryId)),
    remove: [...remove, ...removed],
  };
};

function parseMembers(value: unknown): string[] {
  const members = [value].flat();
  if (members.length > DIRECTORY_LIMITS.namedMembers)
    throw tooMany(`A request can name at most ${DIRECTORY_LIMITS.namedMembers} members`);
  return members.map((member) => {
    const id = isObject(member) ? findMember(member, 'value') : member;
    if (typeof id === 'string' && id !== '' && id.length <= DIRECTORY_LIMITS.textCharacters) return id;
    throw invalidValue('A member must be an object with "value", the id of a user');
  });
}
