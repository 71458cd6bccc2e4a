/** Names the source files of stack frames. Node itself applies source maps only to modules that it loads. */
import { readFileSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname } from 'node:path';
import { findSourcePlace, replacePlaces } from '#infra/build/source-places.ts';
import { OWN_BUNDLE } from './shared-packages.ts';

/** The maps by the path of their bundles, each with the time when its file was written. */
const mapByFile = new Map<string, { readonly map: SourceMap; readonly writtenAt: number }>();

/** Replaces places in bundles by source places. Maps are read only if a text names one: when a function failed. */
export function resolveSourcePlaces(text: string): string {
  if (!text.includes(`/${OWN_BUNDLE}.js:`)) return text;
  return replacePlaces(text, `${OWN_BUNDLE}.js`, (file, place) => {
    const map = readMap(file);
    return map && findSourcePlace(map, dirname(file), place);
  });
}

function readMap(file: string): SourceMap | undefined {
  const path = `${file}.map`;
  const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined) return undefined;
  const cachedMap = mapByFile.get(file);
  if (cachedMap?.writtenAt === writtenAt) return cachedMap.map;
  const map = new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  mapByFile.set(file, { map, writtenAt });
  return map;
}
