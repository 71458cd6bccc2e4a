/** A .NET project that is built for several frameworks leaves one file for each, and all have the same tests. */
import type { ReportedInstance } from '#shared/ingest/reported.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';

/** Framework names become groups only where files share tests, so that the group of other projects never changes. */
export function groupByTargetFramework(files: readonly ParsedFile[]): ParsedFile[] {
  const targets = new Map<string, Set<string>>();
  for (const { targetFramework, instances } of files) {
    if (targetFramework === undefined) continue;
    for (const key of listKeys(instances)) targets.set(key, (targets.get(key) ?? new Set()).add(targetFramework));
  }
  return files.map((file) => {
    const { targetFramework, instances } = file;
    const isShared = listKeys(instances).some((key) => (targets.get(key)?.size ?? 0) > 1);
    if (targetFramework === undefined || !isShared) return file;
    const regroup = <Part extends { readonly groupId: string }>(part: Part): Part =>
      part.groupId === DEFAULT_GROUP ? { ...part, groupId: targetFramework } : part;
    return { ...file, instances: instances.map(regroup), files: file.files.map(regroup) };
  });
}

const listKeys = (instances: readonly ReportedInstance[]): string[] =>
  instances.flatMap(({ groupId, spec, tests }) => tests.map(({ testId }) => JSON.stringify([groupId, spec, testId])));
