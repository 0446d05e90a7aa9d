import { Command } from 'commander'
export const searchCommand = () => new Command('search')
