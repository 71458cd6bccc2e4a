/** §6 The names of webhook events. Receivers and settings use them, and not the types of domain events. */
import * as z from 'zod';

export const RUN_EVENTS = ['RUN_START', 'RUN_FINISH', 'RUN_TIMEOUT', 'RUN_CANCELED'] as const;
export const RunEventName = z.enum(RUN_EVENTS).meta({ id: 'RunEventName' });
export type RunEventName = z.infer<typeof RunEventName>;
