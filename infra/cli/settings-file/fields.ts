/** The settings of one object as a settings file has them, and how they differ from others. */
import { isDeepStrictEqual } from 'node:util';
import type { Notification } from '#shared/model/events/notification.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The settings of one object by name, in the order of the file. */
export type Fields = Readonly<Record<string, Json>>;

/** A setting before and after the change. `from` is absent for a new object. */
export interface FieldChange {
  readonly name: string;
  readonly from?: Json | undefined;
  readonly to: Json;
}

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;

/** Leaves out settings without a value. */
export const pickDifferences = (newFields: Readonly<Record<string, Json | undefined>>, currentFields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(newFields).flatMap(([name, value]) =>
      value === undefined || isDeepStrictEqual(value, currentFields[name]) ? [] : [[name, value] as const],
    ),
  );

/** Leaves out members without a value. */
export const pickDefined = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

export const listFieldChanges = (newFields: Fields, currentFields: Fields = {}): FieldChange[] =>
  Object.entries(newFields).map(([name, to]) =>
    name in currentFields ? { name, from: currentFields[name], to } : { name, to },
  );

/** The setting `enabled`. `undefined` if the service disabled the receiver, because it failed. */
export function getEnabledSetting({ disabled }: Pick<Notification | Webhook, 'disabled'>): boolean | undefined {
  if (disabled === undefined) return true;
  return disabled.reason === 'byHand' ? false : undefined;
}
