/** The screenshots and the first video of spec files with failed or flaky tests, as the run shows them. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { hasEvidence, type Instance } from '#shared/model/instance.ts';
import { artifactsOf, type ShownFiles } from '#shared/model/shown-files.ts';
import type { Services } from '#shared/services.ts';
import type { SpecFiles } from './files-wire.ts';
import { linkFiles } from './instance-files.ts';

const NO_FILES: SpecFiles = { videoUrl: null, screenshots: [] };

/** Reads the files that spec files show, none for instances without failed or flaky tests. */
export async function specFilesOf(
  { artifacts }: Pick<Services, 'artifacts'>,
  all: readonly Instance[],
  shown: readonly ShownFiles[],
): Promise<(of: Instance) => SpecFiles> {
  const failed = new Set(all.filter(hasEvidence).map(({ instanceId }) => instanceId));
  const found = await mapConcurrently(
    shown.filter(({ instanceId }) => failed.has(instanceId)),
    async (files) => {
      const { screenshots, videos } = await linkFiles(artifacts, artifactsOf(files));
      return [files.instanceId, { videoUrl: videos[0]?.videoUrl ?? null, screenshots }] as const;
    },
  );
  const files = new Map<string, SpecFiles>(found);
  return ({ instanceId }) => files.get(instanceId) ?? NO_FILES;
}
