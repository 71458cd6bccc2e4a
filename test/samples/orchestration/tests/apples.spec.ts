import { passesGate } from './gate.ts';

passesGate('apples passes the gate');
