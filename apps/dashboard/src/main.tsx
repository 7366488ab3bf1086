import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import './theme.css'
import './components/components.css'
import './charts/charts.css'
import { keepScroll } from './frame/keep-scroll.js'

keepScroll()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
