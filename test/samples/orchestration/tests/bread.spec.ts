import { passesGate } from './gate.ts';

passesGate('bread passes the gate');
