/** What the process of `npm start` and its builder, which runs `make-assembly.ts`, send each other. */
import * as z from 'zod';

/** Asks for the bundle of a function. The report about it has the same number. */
export const BundleRequest = z.object({ number: z.number(), name: z.string() });
export type BundleRequest = z.infer<typeof BundleRequest>;

export const BuilderReport = z.discriminatedUnion('kind', [
  /** The template is current. */
  z.object({ kind: z.literal('template') }),
  z.object({
    /** Bundles are built on request. */
    kind: z.literal('ready'),
    /** Whether the template or the packages differ from those that a running service has loaded. */
    needsRestart: z.boolean(),
  }),
  z.object({
    kind: z.literal('bundle'),
    number: z.number(),
    /** Why the function does not compile. Absent if its bundle is current. */
    error: z.string().optional(),
    /** The number of changes of source files since the builder began. */
    sourceChanges: z.number(),
  }),
]);
export type BuilderReport = z.infer<typeof BuilderReport>;
