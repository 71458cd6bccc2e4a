/** What has to change so that an organization has the settings of a file. */
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '#shared/access/actor.ts';
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { Entity } from '#shared/engine/table/entity.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { type Check, check, PRESENT } from '#shared/engine/table/writes.ts';
import type { TrackerConnection } from '#shared/issues/open-integration.ts';
import type { Notification } from '#shared/model/events/notification.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import type { FileSection } from './document.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The settings of one object by name, in the order of the file. */
export type Fields = Readonly<Record<string, Json>>;

/** Secrets and issue trackers are connected only when a change needs them. */
export interface Tools extends CoreServices, Pick<Services, 'privateReceivers'> {
  readonly origin: () => Promise<string>;
  readonly secrets: () => Promise<Pick<Secrets, 'put' | 'remove'>>;
  readonly trackers: () => Promise<Pick<TrackerConnection, 'ownNetwork'> & { readonly secrets: Secrets }>;
}

/** A change of the organization itself does not read `projectId`. */
interface Target {
  readonly organizationId: string;
  readonly projectId: string;
  readonly actor: Actor;
}

export interface Subject {
  readonly kind: 'sharing' | 'integration' | 'project' | 'rule' | 'webhook' | 'notification' | 'issues';
  readonly name: string;
  readonly id?: string | undefined;
}

const NOUNS: Readonly<Record<Subject['kind'], string>> = {
  sharing: 'sharing settings',
  integration: 'connection',
  project: 'project',
  rule: 'rule',
  webhook: 'webhook',
  notification: 'notification',
  issues: 'issue automation',
};

/** The object as a phrase, such as `rule "Skip slow tests"`. */
export const formatSubject = ({ kind, name }: Pick<Subject, 'kind' | 'name'>): string =>
  kind === 'sharing' || kind === 'issues' ? NOUNS[kind] : `${NOUNS[kind]} "${makeVisibleLine(name)}"`;

/** A setting before and after the change. `from` is absent for a new object. */
export interface FieldChange {
  readonly name: string;
  readonly from?: Json | undefined;
  readonly to: Json;
}

export type CreatedObject =
  | { readonly what: 'project'; readonly projectId: string }
  /** The secret is shown once. */
  | { readonly what: 'signing secret'; readonly secret: string };

export interface Change extends Subject {
  readonly verb: 'create' | 'change' | 'remove';
  readonly fields: readonly FieldChange[];
  /** What else people should know, such as what is lost. */
  readonly note?: string;
  /** Calls `created` as soon as something exists, because a later step of the change may fail. */
  readonly run: (tools: Tools, target: Target, created: (what: CreatedObject) => void) => Promise<unknown>;
}

/** A difference that only a person can remove, because that takes a secret, such as a token. */
export interface Manual extends Subject {
  readonly fields: readonly FieldChange[];
  /** What to do, as a sentence without a full stop. */
  readonly todo: string;
}

export type Step = Change | Manual;

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;

/** The setting `enabled`. `undefined` if the service disabled the receiver, because it failed. */
export const isEnabled = ({ disabled }: Pick<Notification | Webhook, 'disabled'>): boolean | undefined =>
  disabled === undefined ? true : disabled.reason === 'byHand' ? false : undefined;

/** Leaves out settings without a value. */
export const pickDifferences = (newFields: Readonly<Record<string, Json | undefined>>, currentFields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(newFields).flatMap(([name, value]) =>
      value === undefined || isDeepStrictEqual(value, currentFields[name]) ? [] : [[name, value] as const],
    ),
  );

export const pickDefined = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

export const listFieldChanges = (newFields: Fields, currentFields: Fields = {}): FieldChange[] =>
  Object.entries(newFields).map(([name, to]) => ({
    name,
    ...(name in currentFields ? { from: currentFields[name] } : {}),
    to,
  }));

interface MatchRules<Row, Entry> {
  readonly kind: Subject['kind'];
  readonly idOf: (row: Row) => string;
  /** The name by which an entry without an id finds its row. */
  readonly nameOf: (entry: Entry) => string | undefined;
  /** Ways to compare a row with an entry that has no id, the strictest first. The first that finds a row decides. */
  readonly fits: readonly ((row: Row, entry: Entry) => boolean)[];
}

/**
 * Finds the row of an entry by its id, or else by its name among the rows that no other entry names by id. Adds a
 * problem for an entry that is listed twice, has an unknown id or fits several rows.
 */
export function matchRows<Row, Entry extends { readonly id?: string | undefined }>(
  rows: readonly Row[],
  { given: entries, path, problems }: FileSection<readonly Entry[]>,
  { kind, idOf, nameOf, fits }: MatchRules<Row, Entry>,
): (Row | undefined)[] {
  const noun = NOUNS[kind];
  const rowByEntry = new Map<Entry, Row>();
  const takenRows = new Set<Row>();
  const seenKeys = new Set<string>();
  const take = (entry: Entry, row: Row) => {
    rowByEntry.set(entry, row);
    takenRows.add(row);
  };
  for (const [index, entry] of entries.entries()) {
    const at = [...path, index];
    const name = entry.id === undefined ? nameOf(entry) : entry.id;
    const key = JSON.stringify([entry.id === undefined, name]);
    if (name !== undefined && seenKeys.has(key))
      problems.add(at, `The ${noun} ${name} is listed twice. Remove one of them`);
    seenKeys.add(key);
    if (entry.id === undefined) continue;
    const row = rows.find((one) => idOf(one) === entry.id);
    if (row === undefined) problems.add([...at, 'id'], `No ${noun} has this id. Remove the id to create a new ${noun}`);
    else take(entry, row);
  }
  for (const isSame of fits) {
    for (const [index, entry] of entries.entries()) {
      if (entry.id !== undefined || rowByEntry.has(entry)) continue;
      const [row, ...others] = rows.filter((one) => !takenRows.has(one) && isSame(one, entry));
      if (others.length > 0)
        problems.add([...path, index], `Several existing ${noun}s fit this entry. Add the id of the one that you mean`);
      else if (row !== undefined) take(entry, row);
    }
  }
  return entries.map((entry) => rowByEntry.get(entry));
}

/** Lets a transaction fail if the row was deleted, or if one of the named attributes has changed since it was read. */
export function expectUnchanged<Key, Row extends Key & object>(
  entity: Entity<Key, Row>,
  row: Row,
  names: readonly (keyof Row & string)[],
): Check[] {
  const conditions = names.map((name): Condition => {
    const value: unknown = row[name];
    return isStored(value) ? { path: name, equals: value } : { absent: name };
  });
  return [check(entity, row, { all: [PRESENT, ...conditions] })];
}

const isStored = (value: unknown): value is string | number | boolean | object | null => value !== undefined;
