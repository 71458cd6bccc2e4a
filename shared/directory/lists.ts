/** Lists of users and groups (RFC 7644, 3.4.2): filters and pages. */
import type { DirectoryActor } from '#shared/access/actor.ts';
import type { DirectoryEntry } from '#shared/model/directory/directory-entry.ts';
import type { DirectoryGroup } from '#shared/model/directory/directory-group.ts';
import { directoryNames, getDirectoryNamesSpan } from '#shared/model/directory/directory-name.ts';
import { directoryValues, getDirectoryValuesSpan } from '#shared/model/directory/directory-value.ts';
import type { CoreServices } from '#shared/services.ts';
import { invalidFilter } from './errors.ts';
import { isMemberOf, listGroups } from './groups.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { parseFilter, type Term } from './paths.ts';
import { readUsers, type User } from './users.ts';

export interface ListQuery {
  readonly filter?: string | undefined;
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly startIndex: number;
  readonly total: number;
}

/** RFC 7644, 3.4.2.4: a smaller index is 1, and a negative count is 0. What is no number has no meaning. */
function takePage<Item>(all: readonly Item[], { startIndex, count }: ListQuery): Page<Item> {
  const first = Math.max(1, parseInteger(startIndex, 1));
  const size = Math.min(DIRECTORY_LIMITS.page, Math.max(0, parseInteger(count, DIRECTORY_LIMITS.page)));
  return { items: all.slice(first - 1, first - 1 + size), startIndex: first, total: all.length };
}

function parseInteger(text: string | undefined, otherwise: number): number {
  const trimmedText = text?.trim() ?? '';
  const number = Number(trimmedText);
  return trimmedText !== '' && Number.isSafeInteger(number) ? number : otherwise;
}

/** In the order of their user names' keys, which only new and renamed users change. */
export async function listUsers(services: CoreServices, actor: DirectoryActor, query: ListQuery): Promise<Page<User>> {
  if (query.filter !== undefined) {
    const terms = parseFilter(query.filter);
    const entryIds = await findEntryIds(services, actor, terms, query.filter);
    const users = await readUsers(services, actor, entryIds);
    const matches = users.filter((user) => terms.every((term) => matchesUser(user, term)));
    return takePage(matches, query);
  }
  const { organizationId } = actor;
  const span = getDirectoryNamesSpan({ organizationId, of: 'USER' });
  const names = await services.table.queryAll(directoryNames, span, { consistent: true });
  const page = takePage(names, query);
  const entryIds = page.items.map(({ id }) => id);
  return { ...page, items: await readUsers(services, actor, entryIds) };
}

/** Those who match one of the terms that are looked up by a key. */
async function findEntryIds(
  { table }: CoreServices,
  { organizationId }: DirectoryActor,
  terms: readonly Term[],
  filter: string,
): Promise<string[]> {
  for (const term of terms) {
    const kind = USER_FILTERS.get(term.path.attribute);
    if (!kind || !isSupported(term) || typeof term.value !== 'string') continue;
    if (kind === 'id') return [term.value];
    if (kind === 'USER') {
      const key = { organizationId, of: kind, name: term.value.toLowerCase() };
      const name = await table.get(directoryNames, key, { consistent: true });
      return name ? [name.id] : [];
    }
    const value = kind === 'EMAIL' ? term.value.toLowerCase() : term.value;
    const span = getDirectoryValuesSpan({ organizationId, of: kind, value });
    const values = await table.queryAll(directoryValues, span, { consistent: true });
    return values.map(({ entryId }) => entryId);
  }
  throw invalidFilter(filter);
}

const USER_FILTERS: ReadonlyMap<string, 'id' | 'USER' | 'EXTERNAL' | 'EMAIL'> = new Map([
  ['id', 'id'],
  ['username', 'USER'],
  ['externalid', 'EXTERNAL'],
  ['emails', 'EMAIL'],
]);

/** Such as `emails`, `emails.value` and `emails[type eq "work"].value`. */
function isSupported({ path: { attribute, where, sub } }: Term): boolean {
  if (attribute !== 'emails') return where === undefined && sub === undefined;
  return (sub === undefined || sub === 'value') && (where === undefined || where.path.attribute === 'type');
}

function matchesUser({ entry, membership }: User, term: Term): boolean {
  const { path, value } = term;
  if (path.attribute === 'active') return String(membership !== undefined) === String(value).toLowerCase();
  if (!isSupported(term)) throw invalidFilter(path.attribute);
  const values = listValues(entry, term);
  // SCIM ignores the case of names and addresses, but not that of ids.
  if (path.attribute === 'id' || path.attribute === 'externalid') return values.some((own) => own === value);
  return values.some((own) => own.toLowerCase() === String(value).toLowerCase());
}

function listValues({ entryId, userName, externalId, emails = [] }: DirectoryEntry, { path }: Term): string[] {
  switch (path.attribute) {
    case 'id':
      return [entryId];
    case 'username':
      return [userName];
    case 'externalid':
      return externalId === undefined ? [] : [externalId];
    case 'emails': {
      const type = path.where?.value;
      return emails
        .filter((email) => type === undefined || email.type?.toLowerCase() === String(type).toLowerCase())
        .map((email) => email.value);
    }
    default:
      throw invalidFilter(path.attribute);
  }
}

export async function listDirectoryGroups(
  services: CoreServices,
  actor: DirectoryActor,
  query: ListQuery,
): Promise<Page<DirectoryGroup>> {
  let groups = await listGroups(services, actor);
  const terms = query.filter === undefined ? [] : parseFilter(query.filter);
  for (const term of terms) groups = await filterGroups(services, groups, term);
  return takePage(groups, query);
}

async function filterGroups(services: CoreServices, groups: DirectoryGroup[], { path, value }: Term) {
  const { attribute, where, sub } = path;
  if (typeof value !== 'string' || where !== undefined) throw invalidFilter(attribute);
  if (attribute === 'members' && (sub === undefined || sub === 'value')) {
    const memberships = await Promise.all(groups.map((group) => isMemberOf(services, group, value)));
    return groups.filter((_, index) => memberships[index]);
  }
  if (sub !== undefined) throw invalidFilter(attribute);
  switch (attribute) {
    case 'id':
      return groups.filter(({ groupId }) => groupId === value);
    case 'displayname':
      return groups.filter(({ displayName }) => displayName.toLowerCase() === value.toLowerCase());
    case 'externalid':
      return groups.filter(({ externalId }) => externalId === value);
    default:
      throw invalidFilter(attribute);
  }
}
