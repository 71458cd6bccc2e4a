/** The files of an instance and of a spec file, as responses show them. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';

const bytes = z
  .int()
  .nullable()
  .meta({ description: 'Stored size, after compression if any. null until the file has arrived' });

const ofTest = { testId: z.string(), testAttemptIndex: z.int(), bytes };
const link = z.string().meta({ format: 'uri', description: 'Presigned URL: expires soon, and needs no credential' });

export const InstanceFiles = z.object({
  playwrightTraces: z.array(z.object({ ...ofTest, traceId: z.string(), name: z.string(), traceURL: link })),
  screenshots: z.array(
    z.object({
      ...ofTest,
      screenshotId: z.string(),
      name: z.string(),
      screenshotURL: link,
      takenAt: dateTime,
    }),
  ),
  videos: z.array(z.object({ ...ofTest, videoUrl: link })),
  attachments: z.array(
    z.object({
      ...ofTest,
      id: z.string(),
      name: z.string(),
      filename: z.string().nullable(),
      contentType: z.string(),
      readUrl: link,
      createdAt: dateTime,
    }),
  ),
  stdout: z.object({ readUrl: link, bytes }).nullable(),
});

export const SpecFiles = z.object({
  videoUrl: z
    .string()
    .nullable()
    .meta({ description: 'Video of the first test that recorded one. Only if a test failed or was flaky' }),
  screenshots: InstanceFiles.shape.screenshots,
});

export type SpecFiles = z.infer<typeof SpecFiles>;

/** The query of a file: by default, pictures and videos open in the browser. */
export const fileQuery = z.object({ download: z.boolean().optional() });
