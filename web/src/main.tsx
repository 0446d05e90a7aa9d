import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './style/base.css'

createRoot(document.getElementById('page')!).render(<StrictMode>Wishwell</StrictMode>)
