import { expect, test } from 'vitest';
import { ensureNames, readNames } from '#shared/analytics/names.ts';
import type { NamesList } from '#shared/model/analytics/names.ts';
import type { CoreServices } from '#shared/services.ts';
import { ownTable } from '#test/harness/own-table.ts';

const newList = (): NamesList => ({
  organizationId: crypto.randomUUID(),
  projectId: 'shop',
  kind: 'SPEC',
});

const ensure = (services: CoreServices, list: NamesList, wanted: readonly string[]) =>
  ensureNames<string>(services, list, (known) => {
    const names = new Set(known.values());
    return wanted.filter((name) => !names.has(name));
  });

const namesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, place) => `spec-${first + place}`);

test('The stored names of spec files get permanent and unique numbers, even if several calls add names at the same time', async () => {
  const { services } = await ownTable();
  const list = newList();
  await Promise.all([0, 300, 600, 900].map((first) => ensure(services, list, namesFrom(first, 600))));
  const names = await readNames<string>(services, list);
  expect([...names.values()].sort()).toEqual(namesFrom(0, 1500).sort());
  await ensure(services, list, namesFrom(1400, 1200));
  const more = await readNames<string>(services, list);
  for (const [number, name] of names) expect(more.get(number)).toBe(name);
  expect([...more.values()].sort()).toEqual(namesFrom(0, 2600).sort());
});

test('Names of spec files are all stored, even if together they are too long for one row', async () => {
  const { services } = await ownTable();
  const list = newList();
  const long = Array.from({ length: 30 }, (_, place) => `${place}`.padEnd(16_000, crypto.randomUUID()));
  await ensure(services, list, long);
  expect([...(await readNames<string>(services, list)).values()].sort()).toEqual([...long].sort());
});
