/** What commands take from the command line, and rows they have in common. */
import { organizations } from '#shared/resources/organization.ts';
import type { Administration } from '#shared/services.ts';
import { UsageError } from './usage.ts';

export type Options = Readonly<Record<string, string | undefined>>;
export type Row = Readonly<Record<string, string>>;
export type Command = (services: Administration, options: Options) => Promise<Row[]>;

export function required(options: Options, name: string): string {
  const value = options[name]?.trim();
  if (!value) throw new UsageError(`--${name} is missing`);
  return value;
}

/** A key or project of an organization that does not exist could never be used. */
export async function organizationOf({ table }: Administration, options: Options): Promise<string> {
  const organizationId = required(options, 'organization');
  if (await table.get(organizations, { organizationId }, { consistent: true })) return organizationId;
  throw new UsageError(`There is no organization ${organizationId}. "organizations list" shows those there are`);
}

export const time = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : new Date(milliseconds).toISOString();
