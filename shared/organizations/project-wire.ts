/** §5.2 Schemas of requests about projects. They only describe the limits, and `parseSettings` enforces them. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { mapToSchemas } from './setting-declarations.ts';

const days = (what: string) =>
  z
    .union([z.int().meta({ ...MODEL_LIMITS.retentionDays }), z.literal('default')], {
      error: 'must be a number of days, null or `default`',
    })
    .nullable()
    .optional()
    .meta({
      description: `Days that ${what} are kept. null means forever, and \`default\` the default of the service`,
    });

const { name, tags, ...others } = mapToSchemas(({ request, description }) =>
  request.meta({ ...request.meta(), description }),
);
const retention = z
  .strictObject({
    resultsDays: days('runs with their tests and history'),
    evidenceDays: days('steps, output and trace analyses of failed tests'),
    filesDays: days('traces, screenshots, videos and attachments'),
  })
  .meta({
    description:
      'The retention of runs that are created from now on. Omitted members stay unchanged. Evidence and files cannot be kept longer than results',
  });

export const Settings = z.strictObject({ name, ...others, retention, tags }).partial();

export const NewProject = Settings.required({ name: true });

export const ProjectChange = Settings.refine((change) => Object.values(change).some((value) => value !== undefined), {
  error: `changes nothing. Send at least one of ${Object.keys(Settings.shape)
    .map((one) => `\`${one}\``)
    .join(', ')}`,
});
