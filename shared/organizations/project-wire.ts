/** §5.2 Schemas of requests about projects. They only describe the limits, and `parseSettings` enforces them. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

const { nameCharacters, inactivityTimeoutSeconds: timeout, projectTags, projectTagCharacters } = ORGANIZATION_LIMITS;

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

const ONE_LINE = 'One line of text, without characters that change its direction';
const name = z.string().meta({ minLength: 1, maxLength: nameCharacters, description: ONE_LINE });

const SETTINGS = {
  defaultBranchName: z
    .string()
    .optional()
    .meta({ minLength: 1, maxLength: MODEL_LIMITS.branchFilterCharacters, description: ONE_LINE }),
  inactivityTimeoutSeconds: z.int().optional().meta({
    minimum: timeout.minimum,
    maximum: timeout.maximum,
    description: 'A run without reports for this long times out',
  }),
  failFast: z.boolean().optional().meta({ description: 'Whether a run ends at its first failed test' }),
  retention: z
    .object({
      resultsDays: days('runs with their tests and history'),
      evidenceDays: days('steps, output and trace analyses of failed tests'),
      filesDays: days('traces, screenshots, videos and attachments'),
    })
    .optional()
    .meta({
      description:
        'The retention of runs that are created from now on. Omitted members stay unchanged. Evidence and files cannot be kept longer than results',
    }),
  tags: z
    .array(z.string().meta({ minLength: 1, maxLength: projectTagCharacters }))
    .optional()
    .meta({
      maxItems: projectTags,
      description: `Labels of the project, without commas. Each is: ${ONE_LINE}. They replace all earlier ones`,
    }),
};

export const NewProject = z.object({ name, ...SETTINGS });

export const ProjectChange = z
  .object({ name: name.optional(), ...SETTINGS })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: `changes nothing. Send at least one of ${['name', ...Object.keys(SETTINGS)].map((one) => `\`${one}\``).join(', ')}`,
  });
